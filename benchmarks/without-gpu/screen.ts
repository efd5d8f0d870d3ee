// Writes the first screen of benchmarks/README.md, a table between two marks, from results.json, for without-gpu.ts.
import { readFileSync, writeFileSync } from 'node:fs';
import { maximum, minimum } from '@bowyer/core';
import { median } from '../measure.js';
import { shapes, works, type Results, type ShapeName, type WorkName } from './work.js';

type Row = Results['rows'][number];
const page = new URL('../README.md', import.meta.url);
const [START, END] = ['<!-- without-gpu: written by without-gpu.ts -->', '<!-- /without-gpu -->'];

const titles: Record<WorkName, (episodes: number) => string> = {
  step: () => 'one step of 4 × 128 tokens',
  'one turn': (episodes) => `one iteration of GRPO, ${episodes} answers of 256 tokens to a prompt of 128`,
  'ten turns': (episodes) =>
    `one iteration of GRPO, ${episodes} episodes of ten turns, 16 tokens written and 16 read in each, after 64`,
};

/** Writes the tables into the page. */
export function writeScreen(results: Results): void {
  writeFileSync(page, withScreen(readFileSync(page, 'utf8'), results));
}

/** Returns the page's text with tables of these results. */
export function withScreen(text: string, { rows }: Results): string {
  const [start, end] = [text.indexOf(START), text.indexOf(END)];
  if (start < 0 || end < 0) throw new Error(`benchmarks/README.md has no '${START}' … '${END}'`);
  return `${text.slice(0, start)}${START}\n\n${screen(rows)}\n${text.slice(end)}`;
}

function screen(rows: readonly Row[]): string {
  const header =
    '| model, work, program | pieces | seconds | CPU seconds | of them rollout | tokens/s | peak GiB | ÷ ours, best | load |\n' +
    '|---|---|---|---|---|---|---|---|---|';
  const lines = (Object.keys(shapes) as ShapeName[]).flatMap((shape) =>
    (Object.keys(works) as WorkName[]).flatMap((work) => {
      const own = rows.filter((row) => row.shape === shape && row.work === work);
      return instructionsOf(own).flatMap((instructions) => [
        `| **${shape}**, ${titles[work](shapes[shape].prompts * shapes[shape].group)}, **${instructions}** | | | | | | | | |`,
        ...linesOf(own.filter(uses(instructions))),
      ]);
    }),
  );
  return `${header}\n${lines.join('\n')}\n\n${ended(rows)}`;
}

type Instructions = 'AVX-512' | 'AVX2';
const uses =
  (instructions: Instructions) =>
  ({ machine }: Row) =>
    machine.includes('AVX-512') === (instructions === 'AVX-512');
const instructionsOf = (rows: readonly Row[]) =>
  (['AVX-512', 'AVX2'] as const).filter((instructions) => rows.some(uses(instructions)));
const isOurs = ({ program }: Row) => program.startsWith('ours');
const seconds = ({ pieces }: Row) => median(pieces.map(({ wall }) => wall));
const peak = ({ pieces }: Row) => maximum(pieces.map((piece) => piece.peak));

function linesOf(rows: readonly Row[]): string[] {
  const best = minimum(rows.filter(isOurs).map(seconds));
  return rows
    .toSorted((a, b) => Number(isOurs(b)) - Number(isOurs(a)))
    .map((row) => {
      const of = (pick: (piece: Row['pieces'][number]) => number) => median(row.pieces.map(pick));
      const rollout = of((piece) => piece.rollout);
      const cells = [
        row.program,
        row.pieces.length,
        seconds(row).toFixed(seconds(row) < 10 ? 2 : 1),
        of(({ cpu }) => cpu).toFixed(1),
        rollout === 0 ? '' : rollout.toFixed(1),
        of(({ tokens, wall }) => tokens / wall).toFixed(0),
        peak(row).toFixed(2),
        isOurs(row) ? '' : `**${(seconds(row) / best).toFixed(2)}**`,
        of(({ load }) => load).toFixed(0),
      ];
      return `| ${cells.join(' | ')} |`;
    });
}

/** Writes how long ten iterations of the largest model take, with how much memory, and on which machine. */
function ended(rows: readonly Row[]): string {
  const iterations = rows.filter(({ shape, work }) => shape === 'Qwen 2.5 0.5B' && work === 'one turn');
  const ten = (row: Row) => (row.first.wall + 9 * seconds(row)) / 60;
  const sentences = [
    ...instructionsOf(iterations).flatMap((instructions) => {
      const measured = iterations.filter(uses(instructions));
      const of = (own: boolean) => measured.filter((row) => isOurs(row) === own).sort((a, b) => ten(a) - ten(b))[0];
      const [ours, theirs] = [of(true), of(false)];
      return ours && theirs
        ? [
            `Ten iterations of Qwen 2.5 0.5B over one turn, the first of which compiles, take with ${instructions} ` +
              `**${ten(ours).toFixed(1)} minutes** with ${ours.program} in ${peak(ours).toFixed(1)} GiB, so that a laptop of ` +
              `8 GiB holds them, and ${ten(theirs).toFixed(1)} minutes with ${theirs.program} in ${peak(theirs).toFixed(1)} GiB.`,
          ]
        : [];
    }),
    `Measured on ${[...new Set(rows.map(({ machine, date }) => `${machine} (${date})`))].join('; ')}, two threads each, with ` +
      `${[...new Set(rows.filter((row) => !isOurs(row)).map(({ about }) => versions(about)))].join('; ')}.`,
  ];
  return sentences.map(wrapped).join('\n');
}

const versions = (about: string): string =>
  Object.entries(JSON.parse(about) as Record<string, string>)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ');

function wrapped(sentence: string): string {
  const lines = [''];
  for (const word of sentence.split(' '))
    if (`${lines.at(-1)} ${word}`.length > 130) lines.push(word);
    else lines[lines.length - 1] = `${lines.at(-1)} ${word}`.trim();
  return lines.join('\n');
}
