#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom grad --trust: launches whose gradients are wrong across themselves, by contacts whose moments are not
# counted; starts on a kink; parameters at zero; what it costs; its exit code.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1
launches=$data/launches
cheap='0 < j["trust"]["cost_more"] <= 0.5 * j["trust"]["cost"]'

# ---- differences along these gradients agree with them, and they are 3 to 49 % off
meeting_1=(grad "$launches/meeting_1.xml" --time 0.3 --loss 'qpos[0]' --wrt qvel --json --trust --set qvel=0.40050337499845723,-0.044012248822136189,0.16253820765043617,-0.0012774504064922627,0.52796133247891608,0.18670324686492132,0.25896520957227037,0.078594520097866757,-0.17130281322033294,0.54575690355050266,0.35334326798927712,-0.20909514635628754)
meeting_2=(grad "$launches/meeting_2.xml" --time 1 --loss 'qpos[1]' --wrt qvel --json --trust --set qvel=-0.11272440002007683,-0.15960716593421481,-0.074719954424995086,-0.29657899637437068,0.34303161240360008,-0.43543765476159307,-0.32229163019381407,0.22212623430659795,0.069979870731715091,0.25314657165605736,-0.035282213041775028,-0.12138799872083926)
arm=(grad "$launches/arm.xml" --time 0.15 --loss 'qpos[0]' --wrt qvel --json --trust --set qvel=-1.033246663792736,-2.0646765880901281)
ball=(grad "$launches/ball.xml" --time 1 --loss 'qpos[1]' --wrt qvel --json --trust --set qvel=0.94052190092482668,0.61342720787557958,-4.5733611793865627,-2.8939244714991923,2.9031523404675523,-3.8633777301430419)
loose=(--integrator bosh3 --rtol 1e-5 --atol 1e-5)
missing='j["trust"]["verdict"] == "events" and j["trust"]["switches_uncounted"] > 0'
expect 1 meeting_1 "${meeting_1[@]}" "${loose[@]}"
holds meeting_1 "$missing" "$cheap" '0.08 < j["trust"]["lacking"] < 0.25' \
  '0.95 < j["trust"]["slope"] / j["trust"]["quotient"] < 1.05' \
  '"rerun with --events and a tolerance" in j["trust"]["text"]'
expect 1 meeting_2 "${meeting_2[@]}" "${loose[@]}"
holds meeting_2 "$missing" "$cheap" '0.1 < j["trust"]["lacking"] < 0.2' \
  '0.95 < j["trust"]["slope"] / j["trust"]["quotient"] < 1.05'
expect 1 arm "${arm[@]}" "${loose[@]}"
holds arm "$missing" "$cheap" '0.025 < j["trust"]["lacking"] < 0.03' 'j["trust"]["across"] == 1'
expect 1 ball "${ball[@]}"
holds ball "$missing" "$cheap" '0.3 < j["trust"]["lacking"] < 0.6' \
  '0.95 < j["trust"]["slope"] / j["trust"]["quotient_near_by"] < 1.05'
# what it asks for makes them good
for name in meeting_1 meeting_2 arm ball; do
  declare -n launch=$name
  expect 0 $name "${launch[@]}" --integrator tsit5 --rtol 1e-7 --atol 1e-7 --events
  holds $name 'j["trust"]["verdict"] == "trust" and j["trust"]["switches_uncounted"] == 0' "$cheap" \
    'j["trust"]["lacking"] is None and j["trust"]["across_error"] < 0.01'
done

# ---- a muscle at rest: its control can only rise, and half of a central difference is none
expect 1 muscle grad "$launches/muscle.xml" --time 0.1 --loss 'qpos[0]' --wrt 'ctrl[m]' --json --trust
holds muscle 'j["trust"]["verdict"] == "kink"' 'j["trust"]["left_near_by"] == 0' \
  'j["trust"]["right_near_by"] > 0.1' '"the start lies on a kink" in j["trust"]["text"]'

# ---- parameters at zero are moved only upwards: one of these gradients is positive, one negative
expect 0 damped grad "$launches/damped.xml" --time 0.1 --set qvel=2,2 --loss 'qvel[0] - qvel[1]' --wrt dof_damping \
  --integrator rk4 --json --trust
holds damped 'j["gradient"]["dof_damping"][0] * j["gradient"]["dof_damping"][1] < -0.1' \
  'j["trust"]["verdict"] == "trust"' 'j["trust"]["left"] > 0 and j["trust"]["right"] > 0'

# ---- in words
expect 1 words grad "$launches/arm.xml" --time 0.15 --loss 'qpos[0]' --wrt qvel --trust --verbose "${loose[@]}" \
  --set qvel=-1.033246663792736,-2.0646765880901281
grep -q "^do not trust (events): steps that count the moments of contacts change the gradient by 2.7 %" words.out &&
  grep -q "^  moments of contacts: 1 not counted; counting them changes the gradient by 2.67 %" words.out &&
  grep -q "^  across it: 1 probes; at worst slope 0, differences " words.out || fail "$(cat words.out)"
finish
