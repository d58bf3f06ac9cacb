# SPDX-License-Identifier: Apache-2.0
"""Pages of the C API from the public headers: one for each, with what it declares and the contract in its comment."""
import re

# labels of a contract, as include/carom has them: a word and at least one space, at the start of a line
LABELS = ("Map", "Equation", "Shapes", "Owner", "Errors", "Smooth", "Needs", "Memory", "Units", "Frame", "Threads")
LABEL = re.compile(rf"^({'|'.join(LABELS)})(:?)\s+(?=\S)(.*)$")
CODE = re.compile(r"`[^`]*`|\bcr_\w+(?:\(\))?|\bCR_\w+|\b\w+(?:\[[^\]\s]*(?: [^\]]*)?\])+|\bsizeof\b|\bNULL\b|\bdocs/[\w/.]+\.md\b")


def intro(lines):
    """The comment at the top of a header, and the number of its lines."""
    text = []
    for number, line in enumerate(lines):
        if line.startswith("// SPDX"):
            continue
        if not line.startswith("//"):
            return text, number
        text.append(line[2:].strip())
    return text, len(lines)


def pieces(lines):
    """(comment, code) of each declaration. Declarations without a comment of their own follow the one before."""
    comment, code, depth = [], [], 0
    for line in lines:
        if depth == 0 and not code:
            if line.startswith("///"):
                comment.append(line[3:].removeprefix(" "))
                continue
            if line.startswith("//") or line.startswith(('extern "C"', "#")) or line.strip() == "}":
                if line.startswith("#define CR_") and not line.endswith("_H"):
                    yield comment, [line]
                comment = [] if line.startswith("//") else comment
                continue
            if not line.strip():
                continue
        code.append(line)
        depth += line.count("{") - line.count("}")
        if depth == 0 and re.sub(r"\s*//.*", "", line).rstrip().endswith(";"):
            yield comment, code
            comment, code = [], []


def names_of(code):
    """What a declaration declares: a function, a type, or the first name of an enumeration without one."""
    text = re.sub(r"//[^\n]*", "", "\n".join(code))
    if text.startswith("#define"):
        return [text.split()[1].split("(")[0]]
    pointer = re.match(r"typedef [^;{]*\(\*(\w+)\)", text)
    if pointer:
        return [pointer[1]]
    if "CR_API" in text:
        return re.findall(r"\b(cr_\w+)\s*\(", text)[:1]
    match = re.match(r"typedef (?:struct|enum)\s*\w*\s*\{.*\}\s*(\w+);", text, re.S) or re.match(r"typedef .*?(\w+);", text, re.S)
    return [match[1]] if match else re.findall(r"\b(CR_\w+)", text)[:1]


def prose(text, places, here):
    """A comment as Markdown: names as code, with links to where they are declared."""
    def mark(match):
        word = match[0].strip("`")
        if word.startswith("docs/"):
            return f"[{word}](../../{word})"
        page = places.get(word.removesuffix("()"))
        link = page and f"{'' if page == here else page + '.md'}#{word.removesuffix('()').lower()}"
        return f"[`{word}`]({link})" if link else f"`{word}`"

    out, end = [], 0
    for match in CODE.finditer(text):
        out += [escape(text[end:match.start()]), mark(match)]
        end = match.end()
    return "".join(out + [escape(text[end:])])


def escape(text):
    text = re.sub(r"([*_\[\]#])", r"\\\1", text)
    return text.replace("<", "&lt;").replace(">", "&gt;").replace("|", "&#124;")


def contract(comment, places, here):
    """A comment: paragraphs, then its labels as a table."""
    paragraphs, rows, blank = [], [], True
    for line in comment:
        label = LABEL.match(line)
        if label:
            rows.append([label[1], label[3]])
        elif rows and line.startswith(" "):
            rows[-1][1] += " " + line.strip()
        elif not line.strip():
            blank = True
        elif blank and not rows:
            paragraphs.append(line.strip())
            blank = False
        else:
            target, key = (rows[-1], 1) if rows else (paragraphs, -1)
            target[key] += " " + line.strip()
    yield from (prose(p, places, here) + "\n" for p in paragraphs)
    if rows:
        yield "| | |\n|---|---|"
        yield from (f"| {name} | {prose(text, places, here)} |" for name, text in rows)
        yield ""


def groups(lines):
    """Declarations that share a comment: (comment, [code])."""
    found = []
    for comment, code in pieces(lines):
        if comment or not found:
            found.append((comment, [code]))
        else:
            found[-1][1].append(code)
    return found


def without_api(code):
    return "\n".join(code).replace("CR_API ", "")


def pages(include):
    """Path below the reference -> Markdown, of all public headers, with an index."""
    headers = {path.stem: path.read_text().splitlines() for path in sorted((include / "carom").glob("*.h"))}
    places = {}
    for name, lines in headers.items():
        for comment, codes in groups(lines):
            places |= {word: name for code in codes for word in names_of(code)}
    index = ["# C API", "", "Made from the comments of the public headers. [The library in C](../../docs/library.md) says what "
             "is where, and the rules that hold everywhere; [install](../../docs/install.md) how to link.", "",
             "| header | what is in it |", "|---|---|"]
    made = {}
    for name, lines in headers.items():
        top, begin = intro(lines)
        index.append(f"| [`carom/{name}.h`]({name}.md) | {prose(' '.join(top), places, name)} |")
        out = [f"# carom/{name}.h", "", prose(" ".join(top), places, ""), "", f"    #include <carom/{name}.h>", ""]
        for comment, codes in groups(lines[begin:]):
            names = [word for code in codes for word in names_of(code)]
            out += [f"## {', '.join(names[:1])} {{ #{names[0].lower()} }}" if names else "## Declarations", ""]
            out += [f'<a id="{word.lower()}"></a>' for word in names[1:]] + ([""] if names[1:] else [])
            out += ["```c", "\n".join(without_api(code) for code in codes), "```", "", *contract(comment, places, name)]
        made[f"{name}.md"] = "\n".join(out) + "\n"
    return {"index.md": "\n".join(index) + "\n", **made}, places
