// Writes the scores of methods as LaTeX tables that use the package booktabs.
import type { Estimate, PaperScores } from './paper-scores.js';

const digits = (value: number) => value.toFixed(2);
const SPECIAL: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
};

const escaped = (text: string) =>
  text.replace(/[\\~^]|[&%$#_{}]/g, (character) => SPECIAL[character] ?? `\\${character}`);

const cell = ({ value, interval }: Estimate) =>
  `$${digits(value)}$${interval === null ? '' : ` [$${digits(interval.low)}$, $${digits(interval.high)}$]`}`;

const tabular = (columns: string, header: readonly string[], rows: readonly (readonly string[])[]) =>
  [
    `\\begin{tabular}{${columns}}`,
    '\\toprule',
    `${header.join(' & ')} \\\\`,
    '\\midrule',
    ...rows.map((row) => `${row.join(' & ')} \\\\`),
    '\\bottomrule',
    '\\end{tabular}',
    '',
  ].join('\n');

/** Writes a table with a row per method and, for two methods or more, a table of their pairs. */
export function latexTables({ environments, methods, improvements }: PaperScores, score: string): string {
  const ofMethods = tabular(
    `l${'r'.repeat(environments.length + 2)}`,
    ['Method', 'Seeds', ...environments.map(escaped), 'IQM'],
    methods.map(({ method, seeds, means, interquartileMean }) => [
      escaped(method),
      String(seeds),
      ...means.map(cell),
      cell(interquartileMean),
    ]),
  );
  const ofPairs = tabular(
    'llr',
    ['$X$', '$Y$', '$P(X > Y)$'],
    improvements.map((pair) => [escaped(pair.first), escaped(pair.second), cell(pair)]),
  );
  return [
    '% \\usepackage{booktabs}',
    `% ${score.replaceAll('\n', ' ')}; 95 % intervals: of means by Student's t over seeds, else stratified bootstrap (Agarwal et al. 2021).`,
    ofMethods,
    ...(improvements.length > 0 ? [ofPairs] : []),
  ].join('\n');
}
