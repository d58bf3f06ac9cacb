// SPDX-License-Identifier: Apache-2.0
// The methods. Tests check their order against all order conditions.
#include "model/tableau.h"

#include "model/model.h"

#define Q(p, q) (CR_R(p##.0) / CR_R(q##.0))

// clang-format off

// ---- one and two stages [Hairer, Norsett and Wanner, Solving ordinary differential equations I, II.1]

static const cr_real euler_a[] = {0};
static const cr_real euler_b[] = {1};

static const cr_real heun_a[] = {0, 0,  1, 0};
static const cr_real heun_b[] = {Q(1, 2), Q(1, 2)};
static const cr_real heun_e[] = {Q(-1, 2), Q(1, 2)};

static const cr_real midpoint_a[] = {0, 0,  Q(1, 2), 0};
static const cr_real midpoint_b[] = {0, 1};
static const cr_real midpoint_e[] = {-1, 1};

static const cr_real ralston_a[] = {0, 0,  Q(3, 4), 0};
static const cr_real ralston_b[] = {Q(1, 3), Q(2, 3)};
static const cr_real ralston_e[] = {Q(-2, 3), Q(2, 3)};

// ---- MuJoCo's

static const cr_real rk4_a[] = {
    0,       0,       0, 0,
    Q(1, 2), 0,       0, 0,
    0,       Q(1, 2), 0, 0,
    0,       0,       1, 0};
static const cr_real rk4_b[] = {Q(1, 6), Q(1, 3), Q(1, 3), Q(1, 6)};

// ---- [Bogacki and Shampine, A 3(2) pair of Runge-Kutta formulas, 1989]

static const cr_real bosh3_a[] = {
    0,       0,       0,       0,
    Q(1, 2), 0,       0,       0,
    0,       Q(3, 4), 0,       0,
    Q(2, 9), Q(1, 3), Q(4, 9), 0};
static const cr_real bosh3_b[] = {Q(2, 9), Q(1, 3), Q(4, 9), 0};
static const cr_real bosh3_e[] = {Q(-5, 72), Q(1, 12), Q(1, 9), Q(-1, 8)};

// ---- [Dormand and Prince, A family of embedded Runge-Kutta formulae, 1980]

static const cr_real dopri5_a[] = {
    0, 0, 0, 0, 0, 0, 0,
    Q(1, 5), 0, 0, 0, 0, 0, 0,
    Q(3, 40), Q(9, 40), 0, 0, 0, 0, 0,
    Q(44, 45), Q(-56, 15), Q(32, 9), 0, 0, 0, 0,
    Q(19372, 6561), Q(-25360, 2187), Q(64448, 6561), Q(-212, 729), 0, 0, 0,
    Q(9017, 3168), Q(-355, 33), Q(46732, 5247), Q(49, 176), Q(-5103, 18656), 0, 0,
    Q(35, 384), 0, Q(500, 1113), Q(125, 192), Q(-2187, 6784), Q(11, 84), 0};
static const cr_real dopri5_b[] = {
    Q(35, 384), 0, Q(500, 1113), Q(125, 192), Q(-2187, 6784), Q(11, 84), 0};
static const cr_real dopri5_e[] = {
    Q(71, 57600), 0, Q(-71, 16695), Q(71, 1920), Q(-17253, 339200), Q(22, 525), Q(-1, 40)};

// ---- [Tsitouras, Runge-Kutta pairs of order 5(4) satisfying only the first column simplifying
// assumption, 2011]

static const cr_real tsit5_a[] = {
    0, 0, 0, 0, 0, 0, 0,
    CR_R(0.161), 0, 0, 0, 0, 0, 0,
    CR_R(-0.008480655492356989), CR_R(0.335480655492357), 0, 0, 0, 0, 0,
    CR_R(2.8971530571054935), CR_R(-6.359448489975075), CR_R(4.3622954328695815), 0, 0, 0, 0,
    CR_R(5.325864828439257), CR_R(-11.748883564062828), CR_R(7.4955393428898365),
    CR_R(-0.09249506636175525), 0, 0, 0,
    CR_R(5.86145544294642), CR_R(-12.92096931784711), CR_R(8.159367898576159),
    CR_R(-0.071584973281401), CR_R(-0.028269050394068383), 0, 0,
    CR_R(0.09646076681806523), CR_R(0.01), CR_R(0.4798896504144996), CR_R(1.379008574103742),
    CR_R(-3.290069515436081), CR_R(2.324710524099774), 0};
static const cr_real tsit5_b[] = {
    CR_R(0.09646076681806523), CR_R(0.01), CR_R(0.4798896504144996), CR_R(1.379008574103742),
    CR_R(-3.290069515436081), CR_R(2.324710524099774), 0};
static const cr_real tsit5_e[] = {
    CR_R(0.00178001105222577714), CR_R(0.0008164344596567469), CR_R(-0.007880878010261995),
    CR_R(0.1447110071732629), CR_R(-0.5823571654525552), CR_R(0.45808210592918697), Q(-1, 66)};

// ---- [Prince and Dormand, High order embedded Runge-Kutta formulae, 1981], RK8(7)13M

static const cr_real dopri8_a[] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    Q(1, 18), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    Q(1, 48), Q(1, 16), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    Q(1, 32), 0, Q(3, 32), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    Q(5, 16), 0, Q(-75, 64), Q(75, 64), 0, 0, 0, 0, 0, 0, 0, 0, 0,
    Q(3, 80), 0, 0, Q(3, 16), Q(3, 20), 0, 0, 0, 0, 0, 0, 0, 0,
    Q(29443841, 614563906), 0, 0, Q(77736538, 692538347), Q(-28693883, 1125000000),
    Q(23124283, 1800000000), 0, 0, 0, 0, 0, 0, 0,
    Q(16016141, 946692911), 0, 0, Q(61564180, 158732637), Q(22789713, 633445777),
    Q(545815736, 2771057229), Q(-180193667, 1043307555), 0, 0, 0, 0, 0, 0,
    Q(39632708, 573591083), 0, 0, Q(-433636366, 683701615), Q(-421739975, 2616292301),
    Q(100302831, 723423059), Q(790204164, 839813087), Q(800635310, 3783071287), 0, 0, 0, 0, 0,
    Q(246121993, 1340847787), 0, 0, Q(-37695042795, 15268766246), Q(-309121744, 1061227803),
    Q(-12992083, 490766935), Q(6005943493, 2108947869), Q(393006217, 1396673457),
    Q(123872331, 1001029789), 0, 0, 0, 0,
    Q(-1028468189, 846180014), 0, 0, Q(8478235783, 508512852), Q(1311729495, 1432422823),
    Q(-10304129995, 1701304382), Q(-48777925059, 3047939560), Q(15336726248, 1032824649),
    Q(-45442868181, 3398467696), Q(3065993473, 597172653), 0, 0, 0,
    Q(185892177, 718116043), 0, 0, Q(-3185094517, 667107341), Q(-477755414, 1098053517),
    Q(-703635378, 230739211), Q(5731566787, 1027545527), Q(5232866602, 850066563),
    Q(-4093664535, 808688257), Q(3962137247, 1805957418), Q(65686358, 487910083), 0, 0,
    Q(403863854, 491063109), 0, 0, Q(-5068492393, 434740067), Q(-411421997, 543043805),
    Q(652783627, 914296604), Q(11173962825, 925320556), Q(-13158990841, 6184727034),
    Q(3936647629, 1978049680), Q(-160528059, 685178525), Q(248638103, 1413531060), 0, 0};
static const cr_real dopri8_b[] = {
    Q(14005451, 335480064), 0, 0, 0, 0, Q(-59238493, 1068277825), Q(181606767, 758867731),
    Q(561292985, 797845732), Q(-1041891430, 1371343529), Q(760417239, 1151165299),
    Q(118820643, 751138087), Q(-528747749, 2220607170), Q(1, 4)};
static const cr_real dopri8_e[] = {
    Q(14005451, 335480064) - Q(13451932, 455176623), 0, 0, 0, 0,
    Q(-59238493, 1068277825) - Q(-808719846, 976000145),
    Q(181606767, 758867731) - Q(1757004468, 5645159321),
    Q(561292985, 797845732) - Q(656045339, 265891186),
    Q(-1041891430, 1371343529) - Q(-3867574721, 1518517206),
    Q(760417239, 1151165299) - Q(465885868, 322736535),
    Q(118820643, 751138087) - Q(53011238, 667516719),
    Q(-528747749, 2220607170) - Q(2, 45), Q(1, 4)};

static const cri_tableau methods[] = {
#define ERROR(name, order) name##_e, order
#define NO_ERROR NULL, 0
#define CR_METHOD(id, word, name, n, order, embedded, last_is_first) \
    {CR_INT_##id, n, order, name##_a, name##_b, embedded, last_is_first, false},
#include "model/integrator_table.h"
};
static const cri_tableau rk4 = {CR_INT_RK4, 4, 4, rk4_a, rk4_b, NULL, 0, false, true};

// clang-format on

const cri_tableau* cri_tableau_of(int integrator) {
  if (integrator == CR_INT_RK4) {
    return &rk4;
  }
  bool known =
      integrator >= CR_INT_FIRST_METHOD && integrator < CR_INT_FIRST_METHOD + CR_INT_N_METHOD;
  return known ? &methods[integrator - CR_INT_FIRST_METHOD] : NULL;
}
