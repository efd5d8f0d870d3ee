// Tests that damaged LaTeX is judged without an error and within the work that one comparison may take, since a policy may write
// any text. INPUTS is the number of texts, 800 by default.
import { Rng } from '@bowyer/core';
import { NoReferenceError, verify } from '../verifier.js';

const COUNT = Number(process.env.INPUTS ?? 800);

/** Milliseconds of CPU time for one judgement, a hundred times what it takes, since the machine may be busy. */
const MAX_TIME = 5000;

const sound = [
  '\\frac{1}{2}',
  'x^2 + 2x + 1',
  '\\sqrt[3]{x^2 + \\frac{1}{y}}',
  '\\begin{pmatrix} 1 & \\frac{1}{2} \\\\ x & -3 \\end{pmatrix}',
  '(-\\infty, 5] \\cup \\{7, 9\\}',
  'x = 1 \\pm \\sqrt{2}, y = 3\\text{ cm}^2',
  '2 \\text{ apples and } 3 \\text{ pears}',
  '\\sin^{-1}\\left(\\frac{\\sqrt{3}}{2}\\right) + \\ln 2x',
  '-2 \\le x < 7',
  '\\sum_{k=0}^{n-1} F_k F_{n-k-1}',
  '0.1\\overline{6}',
  '3:30 \\text{ pm}',
  '\\$1{,}234.50 \\text{ per hour}',
  '|x - |y||',
  '10^{10^{10}}',
  '\\binom{n}{2} n! \\log_{10} e^{i\\pi}',
  '\\{x \\mid x > 2\\}',
  '1,\\!234,\\!567 \\times 10^{-3}',
];

const pieces =
  '\\ { } ( ) [ ] ^ _ | $ & , ; : . ! % ° ± = < > - + * / 0 9 x e i \\frac \\sqrt \\left \\right \\text{ \\boxed{ \\begin{array} \\end{array} \\\\ \\sin \\ln \\pm \\infty ' +
  '\\cup \\overline{3} and or million cm pm π ² ½ 𝑥 \u0000 \ud800 \u202e 10^{99999999} 99999!';

function damaged(rng: Rng, text: string): string {
  const symbols = pieces.split(' ');
  const at = () => rng.integer(0, text.length);
  const [start, end] = [at(), at()].sort((a, b) => a - b);
  return rng.choice([
    () => text.slice(0, start) + text.slice(end), // a part is missing
    () => text.slice(0, start) + rng.choice(symbols) + text.slice(start),
    () => text.slice(0, end) + text.slice(start), // a part is repeated
    () => text.slice(0, start) + rng.choice(symbols).repeat(rng.integer(1, 300)) + text.slice(start),
    () => [...text].sort(() => rng.uniform() - 0.5).join(''),
    () => text.slice(0, start) + rng.choice(sound) + text.slice(start),
  ])();
}

function damagedOften(rng: Rng): string {
  let text = rng.choice(sound);
  for (let times = rng.integer(1, 6); times > 0; times--) text = damaged(rng, text);
  return text.slice(0, 3000);
}

/** Milliseconds of processor time; null where it is refused as a reference in words. */
function judged(solution: string, reference: string): number | null {
  const started = process.cpuUsage();
  try {
    verify(solution, reference);
  } catch (error) {
    if (error instanceof NoReferenceError) return null;
    throw new Error(`${JSON.stringify(solution)} against ${JSON.stringify(reference)}`, { cause: error });
  }
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
}

test('damaged answers are judged without an error, in bounded time', () => {
  const rng = Rng.forPurpose(11, 'damaged answers');
  const slow: string[] = [];
  for (let i = 0; i < COUNT; i++) {
    const text = damagedOften(rng);
    const reference = rng.choice([...sound, '3', text, damagedOften(rng)]);
    const solution = rng.choice([text, `\\boxed{${text}}`, `The answer is ${text}.`]);
    if ((judged(solution, reference) ?? 0) > MAX_TIME) slow.push(solution);
  }
  expect(slow).toEqual([]);
}, 600_000);
