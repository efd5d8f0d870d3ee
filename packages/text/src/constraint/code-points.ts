// Computes with sets of code points, which are stored as sorted ranges.

import { spend } from './effort.js';

/** Ranges of code points, both ends included; sorted, disjoint and not adjacent. */
export type CodePointRanges = readonly (readonly [from: number, to: number])[];

/** The surrogates, which UTF-8 cannot encode. */
const SURROGATES = [0xd800, 0xdfff] as const;

const LAST_CODE_POINT = 0x10ffff;

/** Unites ranges; the result is sorted, disjoint and without adjacent ranges. */
export function unionOf(ranges: CodePointRanges): CodePointRanges {
  spend(ranges.length);
  const union: [number, number][] = [];
  for (const [from, to] of [...ranges].sort(([a], [b]) => a - b)) {
    if (to < from) continue;
    const last = union.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else union.push([from, to]);
  }
  return union;
}

/** The result has no surrogates; `ranges` may be in any order. */
export function complementOf(ranges: CodePointRanges): CodePointRanges {
  const complement: [number, number][] = [];
  let next = 0;
  for (const [from, to] of unionOf([...ranges, SURROGATES])) {
    if (next < from) complement.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= LAST_CODE_POINT) complement.push([next, LAST_CODE_POINT]);
  return complement;
}

/** Intersects two lists of ranges, both as `unionOf` returns them. */
export function intersectionOf(a: CodePointRanges, b: CodePointRanges): CodePointRanges {
  const common: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const from = Math.max(a[i][0], b[j][0]);
    const to = Math.min(a[i][1], b[j][1]);
    if (from <= to) common.push([from, to]);
    if (a[i][1] < b[j][1]) i++;
    else j++;
  }
  return common;
}

/** All code points that UTF-8 can encode. */
export const ALL_CODE_POINTS = complementOf([]);
