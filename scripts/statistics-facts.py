#!/usr/bin/env python3
"""Makes the facts that the tests of crates/statistics hold: samples, and what SciPy and statsmodels say of them.

    python3 -m venv VENV && VENV/bin/pip install scipy==1.17.1 statsmodels==0.15.0
    VENV/bin/python scripts/statistics-facts.py [FOLDER]

Writes one text file per kind of fact into crates/statistics/tests/facts, or into FOLDER, to be compared with `diff`. A file holds
cases with a blank line between them. A case has one line per key: first `case NAME`, then what goes in, then what comes out. Samples
are random with a fixed seed, and written in full, so that the tests need neither Python nor its generator.

What comes out is never computed the way the crate does it: exact p with ties by going through all ways to deal out the values, restricted means by the
area under statsmodels' Kaplan-Meier curve, epsilon by eigenvalues under orthonormal contrasts, the error of repeated measures by least squares.
"""
import decimal, itertools, math, pathlib, sys
from fractions import Fraction

import numpy as np
import pandas as pd
import scipy
import statsmodels
import statsmodels.formula.api as formula
from scipy import stats
from statsmodels.duration.survfunc import SurvfuncRight
from statsmodels.stats.anova import AnovaRM
from statsmodels.stats.multitest import multipletests

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "crates/statistics/tests/facts"
HEAD = f"# Made by scripts/statistics-facts.py with SciPy {scipy.__version__}, statsmodels {statsmodels.__version__}, NumPy {np.__version__}."
WAYS_MOST = 200_000


def text(value):
    """A number such that it is read back exactly."""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple, np.ndarray)):
        return " ".join(text(each) for each in value)
    if value is None:
        return "never"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    value = float(value)
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def write(folder, name, cases):
    """Cases are lists of (key, value)."""
    blocks = ["\n".join(f"{key} {text(value)}" for key, value in case) for case in cases]
    (folder / f"{name}.txt").write_text(HEAD + "\n\n" + "\n\n".join(blocks) + "\n")
    print(f"{name}: {len(cases)} cases")


def summaries(random):
    samples = {
        "one value": [42.0],
        "two values": [1.0, 2.0],
        "all equal": [0.1] * 7,
        "ties": [3, 1, 3, 3, 2, 2, 9],
        "negative": [-5.5, 2.25, -1.125, 0.0],
        "far from zero": [1e9 + 0.25, 1e9 + 0.5, 1e9 + 1.0, 1e9 + 2.0],
        "tiny numbers": [1e-180, 3e-180, 7e-180],
        "huge numbers": [1e99, -3e99, 7e99],
        "hundred normal": np.round(random.normal(100, 15, 100), 6),
        "coverage of twenty trials": random.integers(300, 420, 20),
    }
    for name, values in samples.items():
        values = np.array(values, float)
        # In fractions, for NumPy squares numbers as they are, and loses the tiny and the huge ones.
        exact = [Fraction(float(value)) for value in values]
        mean = sum(exact) / len(exact)
        squares = sum((value - mean) ** 2 for value in exact)
        deviation = "none" if len(exact) == 1 else root(squares / (len(exact) - 1))
        yield [("case", name), ("values", values), ("mean", float(mean)), ("deviation", deviation),
               ("quartiles", np.quantile(values, [0.25, 0.5, 0.75]))]


def root(fraction):
    """The square root, with more digits than are written."""
    with decimal.localcontext(prec=60):
        return float((decimal.Decimal(fraction.numerator) / decimal.Decimal(fraction.denominator)).sqrt())


def dealt_out(a, b):
    """The exact p with ties: twice the part of all ways in which the rank sum is as far out on the same side."""
    twice = [int(2 * rank) for rank in stats.rankdata(np.concatenate([a, b]))]
    here = sum(twice[:len(a)])
    sums = [sum(chosen) for chosen in itertools.combinations(twice, len(a))]
    return min(1.0, 2 * min(sum(each <= here for each in sums), sum(each >= here for each in sums)) / len(sums))


def size(a, b):
    """Â12 and its size word, in whole numbers."""
    wins = sum(Fraction(2 if x > y else 1 if x == y else 0, 2) for x in a for y in b) / (len(a) * len(b))
    stronger = max(wins, 1 - wins)
    words = [(Fraction(71, 100), "large"), (Fraction(64, 100), "medium"), (Fraction(56, 100), "small")]
    return float(wins), next((word for least, word in words if stronger >= least), "negligible")


def ranked(a, b):
    """What is said of two samples in which infinity stands for never."""
    a, b = np.array(a, float), np.array(b, float)
    pooled = np.concatenate([a, b])
    ties = len(set(pooled)) < len(pooled)
    equal = len(set(pooled)) == 1
    auto = stats.mannwhitneyu(a, b)
    method = "all-equal" if equal else "asymptotic" if ties or min(len(a), len(b)) > 8 else "exact"
    asymptotic = 1.0 if equal else stats.mannwhitneyu(a, b, method="asymptotic").pvalue
    if equal:
        exact = 1.0
    elif not ties and len(a) * len(b) <= 10_000:
        exact = stats.mannwhitneyu(a, b, method="exact").pvalue
    elif math.comb(len(pooled), len(a)) <= WAYS_MOST:
        exact = dealt_out(a, b)
    else:
        exact = "unknown"
    a12, word = size(a, b)
    return [("u", auto.statistic), ("p", 1.0 if equal else auto.pvalue), ("method", method), ("asymptotic", asymptotic),
            ("exact", exact), ("a12", a12), ("size", word)]


def mann_whitney(random):
    pairs = {
        "one against one": ([1], [2]),
        "one against three, apart": ([9], [1, 2, 3]),
        "one against three, amid": ([2.5], [1, 2, 3]),
        "three against three, apart": ([1, 2, 3], [4, 5, 6]),
        "three against three, ties and apart": ([1, 1, 1], [2, 2, 2]),
        "five against five, apart": ([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]),
        "five against five, one out of order": ([1, 2, 3, 4, 6], [5, 7, 8, 9, 10]),
        "in the middle": ([1, 4], [2, 3]),
        "all equal": ([7, 7, 7], [7, 7, 7, 7]),
        "all equal but one": ([7, 7, 7], [7, 7, 7, 8]),
        "one against one, equal": ([5], [5]),
        "ties within": ([1, 1, 2, 2], [3, 3, 4, 4]),
        "ties across": ([1, 2, 3, 4], [2, 3, 4, 5]),
        "many ties": ([1, 1, 2, 2, 2, 3], [2, 2, 3, 3, 3, 3, 1]),
        "zeros of either sign": ([-0.0, 1.0], [0.0, 2.0]),
        "border of small": ([3] * 7 + [1] * 3, [2] * 10),
    }
    # 14 of 25 pairs: exactly 0.56; 16 of 25: exactly 0.64; 71 of 100: exactly 0.71, and their mirror images.
    pairs["exactly 0.56"] = ([5.5, 5.5, 4.5, 0, 0], [1, 2, 3, 4, 5])
    pairs["exactly 0.44"] = ([1, 2, 3, 4, 5], [5.5, 5.5, 4.5, 0, 0])
    pairs["exactly 0.64"] = ([5.5, 5.5, 5.5, 1.5, 0], [1, 2, 3, 4, 5])
    pairs["exactly 0.36"] = ([1, 2, 3, 4, 5], [5.5, 5.5, 5.5, 1.5, 0])
    pairs["exactly 0.71"] = ([10.5] * 7 + [1.5] + [0] * 2, list(range(1, 11)))
    pairs["exactly 0.29"] = (list(range(1, 11)), [10.5] * 7 + [1.5] + [0] * 2)
    for n, m, shift in [(2, 9, 0), (8, 8, 0.5), (8, 9, 0.5), (8, 40, 1.0), (9, 9, 0.5), (10, 10, 0), (10, 10, 2),
                        (20, 20, 0.7), (30, 12, 0.3), (1, 100, 3), (3, 400, 2), (8, 1000, 0.8), (200, 150, 0.2),
                        (1000, 1000, 0.05), (60, 60, 3)]:
        a, b = np.round(random.normal(shift, 1, n), 6), np.round(random.normal(0, 1, m), 6)
        pairs[f"normal {n} against {m}, shift {shift}"] = (a, b)
    for n, m, kinds in [(5, 5, 3), (6, 6, 4), (8, 7, 5), (10, 10, 6), (10, 10, 30), (20, 20, 8), (100, 80, 10), (500, 500, 40)]:
        a, b = random.integers(0, kinds, n) + random.integers(0, 2), random.integers(0, kinds, m)
        pairs[f"whole numbers {n} against {m}, {kinds} kinds"] = (a, b)
    for name, (a, b) in pairs.items():
        yield [("case", name), ("a", a), ("b", b)] + ranked(a, b)


def times(random):
    never = None
    budget = 1000
    pairs = {
        "none found by either": ([never] * 5, [never] * 5),
        "found by one only": ([10, 20, 30, 40, 50], [never] * 5),
        "found by all": ([10, 20, 30, 40, 50], [15, 25, 35, 45, 55]),
        "one missed": ([10, 20, 30, never], [15, 25, 35, 45]),
        "found at the very end and never": ([1000, 1000], [never, never]),
        "one trial each": ([3], [never]),
        "half missed": ([5, 9, never, never], [700, 800, 900, never, never, never]),
        "fewer finds but sooner": ([1, 2, 3, never, never, never], [500, 501, 502, 503, never, never]),
    }
    for n, m, a_rate, b_rate in [(10, 10, 0.002, 0.0008), (10, 10, 0.0005, 0.0005), (20, 20, 0.004, 0.001), (50, 40, 0.001, 0.0007)]:
        draw = lambda count, rate: [int(t) if t <= budget else never for t in random.geometric(rate, count)]
        pairs[f"geometric {n} against {m}, {a_rate} and {b_rate}"] = (draw(n, a_rate), draw(m, b_rate))
    for name, (a, b) in pairs.items():
        infinite = [[math.inf if t is never else t for t in trials] for trials in (a, b)]
        case = [("case", name), ("budget", budget), ("a", a), ("b", b)] + ranked(*infinite)
        for key, trials in (("a", a), ("b", b)):
            found = [t for t in trials if t is not never]
            median = float(np.median([math.inf if t is never else t for t in trials]))
            case += [(f"found-{key}", len(found)), (f"found-mean-{key}", np.mean(found) if found else "none"),
                     (f"restricted-mean-{key}", restricted_mean(trials, budget)),
                     (f"median-{key}", median if math.isfinite(median) else "none")]
        yield case


def restricted_mean(trials, budget):
    """The area under the Kaplan-Meier curve up to the budget."""
    curve = SurvfuncRight([budget if t is None else t for t in trials], [0 if t is None else 1 for t in trials])
    edges = [0.0, *curve.surv_times, float(budget)]
    heights = [1.0, *curve.surv_prob]
    return sum(height * (right - left) for height, left, right in zip(heights, edges, edges[1:]))


def fishers(random):
    tables = [(0, 10, 0, 10), (10, 10, 10, 10), (10, 10, 0, 10), (5, 10, 5, 10), (1, 1, 0, 1), (3, 10, 9, 10), (0, 20, 4, 20), (0, 20, 6, 20),
              (1, 3, 7, 9), (8, 20, 15, 20), (100, 1000, 150, 1000), (3, 5, 60, 2000), (499, 1000, 501, 1000), (0, 5000, 40, 5000),
              (7, 12, 5, 12), (2, 30, 11, 17)]
    for a, n, b, m in tables:
        yield [("case", f"{a}/{n} against {b}/{m}"), ("a", [a, n]), ("b", [b, m]), ("p", stats.fisher_exact([[a, n - a], [b, m - b]]).pvalue)]


def holms(random):
    families = {"one": [0.03], "three": [0.01, 0.04, 0.03], "ties": [0.02, 0.02, 0.02], "up to one": [0.5, 0.9, 0.4, 1.0],
                "zero": [0.0, 0.2], "twenty": np.round(random.uniform(0, 0.2, 20), 6)}
    for name, p in families.items():
        yield [("case", name), ("p", p), ("corrected", multipletests(p, method="holm")[1])]


def repeated(random):
    """Tables of subjects (rows) and conditions (columns)."""
    tables = {
        "two by two": [[1, 2], [3, 5]],
        "two conditions": [[12, 15], [9, 14], [11, 11], [8, 13], [10, 12]],
        "three by three": [[1, 2, 4], [2, 2, 3], [3, 5, 9]],
        "far from zero": [[1e6 + 1, 1e6 + 2, 1e6 + 4], [1e6 + 2, 1e6 + 2, 1e6 + 3], [1e6 + 3, 1e6 + 5, 1e6 + 9]],
        "only some differ": [[5, 5, 5], [6, 6, 6], [7, 7, 8], [4, 4, 4]],
    }
    for n, k, effect in [(4, 6, 0.5), (10, 3, 0), (14, 4, 1), (20, 5, 0.4), (8, 8, 2), (200, 4, 0.1), (2, 7, 1), (50, 2, 0.3)]:
        rows = random.normal(0, 3, (n, 1)) + random.normal(0, 1, (n, k)) * np.linspace(1, 2, k) + effect * np.arange(k)
        tables[f"normal {n} by {k}, effect {effect}"] = np.round(rows, 6)
    for name, rows in tables.items():
        rows = np.array(rows, float)
        n, k = rows.shape
        long = pd.DataFrame([(i, j, rows[i, j]) for i in range(n) for j in range(k)], columns=["subject", "condition", "value"])
        table = AnovaRM(long, "value", "subject", within=["condition"]).fit().anova_table.iloc[0]
        epsilon = greenhouse_geisser(rows)
        f, between, within = table["F Value"], table["Num DF"], table["Den DF"]
        error = formula.ols("value ~ C(subject) + C(condition)", long).fit().mse_resid
        case = [("case", name)] + [("row", row) for row in rows]
        case += [("f", f), ("degrees", [int(between), int(within)]), ("p", table["Pr > F"]), ("epsilon", epsilon),
                 ("corrected", stats.f.sf(f, epsilon * between, epsilon * within))]
        means = rows.mean(axis=0)
        critical = stats.studentized_range.ppf(0.95, k, within)
        case += [tukey_line(i, j, means[i] - means[j], math.sqrt(error / n), critical, k, within) for i in range(k) for j in range(i + 1, k)]
        yield case


def greenhouse_geisser(rows):
    """From the eigenvalues of the covariance under orthonormal contrasts (Helmert's)."""
    contrasts = scipy.linalg.helmert(rows.shape[1])
    values = np.linalg.eigvalsh(contrasts @ np.cov(rows.T) @ contrasts.T)
    return values.sum() ** 2 / (len(values) * (values ** 2).sum())


def tukey_line(i, j, difference, error, critical, means, degrees):
    p = stats.studentized_range.sf(abs(difference) / error, means, degrees)
    return ("pair", [i, j, difference, p, difference - critical * error, difference + critical * error])


def tukeys(random):
    layouts = {
        "two groups": [[1, 2, 3], [4, 5, 7]],
        "groups of three and two": [[1, 2, 3], [4, 6]],
        "one group scatters": [[1, 1, 1], [2, 2, 2], [3, 3, 4]],
        "same means": [[1, 3], [2, 2], [0, 4]],
    }
    for sizes, effect in [((5, 5, 5), 1), ((10, 10, 10, 10, 10, 10), 0.5), ((3, 8, 20), 1), ((100, 100), 0.3), ((2, 2, 2, 2), 3),
                          ((50, 60, 70, 80), 0.2), ((12,) * 10, 0.3)]:
        groups = [np.round(random.normal(effect * g, 1, n), 6) for g, n in enumerate(sizes)]
        layouts[f"normal {' '.join(map(str, sizes))}, effect {effect}"] = groups
    for name, groups in layouts.items():
        result = stats.tukey_hsd(*groups)
        interval = result.confidence_interval(0.95)
        case = [("case", name)] + [("group", np.array(group, float)) for group in groups]
        for i in range(len(groups)):
            for j in range(i + 1, len(groups)):
                case.append(("pair", [i, j, result.statistic[i, j], result.pvalue[i, j], interval.low[i, j], interval.high[i, j]]))
        yield case


def studentized_ranges(random):
    for k in (2, 3, 6, 20):
        for degrees in (1, 2, 5, 10, 39, 120, 1000):
            for q in (0.1, 1, 3.5, 9):
                yield [("case", f"{k} means, {degrees} degrees, {q}"), ("means", k), ("degrees", degrees), ("q", q),
                       ("p", stats.studentized_range.sf(q, k, degrees))]


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    makers = {"summary": summaries, "mann-whitney": mann_whitney, "times": times, "fisher": fishers, "holm": holms,
              "repeated-measures": repeated, "tukey": tukeys, "studentized-range": studentized_ranges}
    for number, (name, maker) in enumerate(makers.items()):
        write(folder, name, list(maker(np.random.default_rng(20_000 + number))))


main()
