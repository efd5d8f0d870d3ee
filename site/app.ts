// Runs the first screen of the site, which trains an agent in the page and shows its progress.
import { drawCurve } from './curve.js';
import { element, onSubmit, program } from './dom.js';
import { drawGame, type Game } from './game.js';
import { OWN_GAME, writeOwnGame } from './own-game.js';

/** Algorithms that learn Twenty Questions, by their configs. All of them learn by playing, except behaviour cloning. */
const CONFIGS = {
  archer_20q: 'ArCHer',
  chai_20q: 'CHAI',
  'archer_20q algorithm=ppo': 'PPO',
  online_filteredbc_20q: 'Filtered behaviour cloning',
  grpo_20q: 'GRPO',
  bc_20q: 'Behaviour cloning',
} as const;
const CLONING = 'bc_20q';

/** The bytes at the end of the file of rollouts that contain its last games. */
const TAIL = 200_000;
const REDRAW_MS = 1_000;

/** The return of a game with twenty wrong questions. */
const WORST = -20;
/** The return of an optimal player with the demonstrator's questions, by the things to guess, as runs log it. */
const PERFECT: Readonly<Record<string, number>> = { '': -2.9, 'env.words=[football,dog,banana,truck]': -1.5 };

const form = element<HTMLFormElement>('settings');
const status = element('status');
const log = element('log');

for (const [name, title] of Object.entries(CONFIGS)) element<HTMLSelectElement>('config').add(new Option(title, name));

/** Returns the command's arguments from the form. @param ownGame the file of a game of one's own */
function argumentsOf(fields: FormData, ownGame = OWN_GAME): string[] {
  const field = (name: string): string => String(fields.get(name));
  const config = field('config');
  const isOwn = fields.has('own');
  return [
    '--config-name',
    ...config.split(' '),
    `seed=${field('seed')}`,
    'device=cpu',
    'device.threads=1',
    'task.test_size=60',
    `demonstrations.count=${field('demonstrations')}`,
    `algorithm.${config === CLONING ? 'epochs' : 'iterations'}=${field('iterations')}`,
    ...(isOwn || field('words').trim() === '' ? [] : [`env.words=[${field('words').replaceAll(/,\s*/g, ',')}]`]),
    ...(isOwn ? [`env.words=${ownGame}`] : []),
    ...(config === 'archer_20q' ? ['algorithm.actor.warmup_iterations=2', 'algorithm.rollout.size=48'] : []),
    ...field('options').split(/\s+/).filter(Boolean),
  ];
}

/** Reads JSON lines; the last one may be incomplete. */
const rowsOf = <Row>(lines: readonly string[]): Row[] =>
  lines.filter((line) => line.endsWith('}')).map((line) => JSON.parse(line) as Row);

const linesOf = (bytes: Uint8Array): string[] => new TextDecoder().decode(bytes).split('\n');

async function lastGames(path: string): Promise<Game[]> {
  const bytes = await program().read(path, TAIL);
  return rowsOf(bytes.length < TAIL ? linesOf(bytes) : linesOf(bytes).slice(1));
}

/** Shows the newest game about the same thing as the game before, or else the newest game. */
async function showGames(path: string, before: Game | null): Promise<Game | null> {
  const games = await lastGames(path).catch(() => []); // the file does not exist yet
  if (games.length === 0) return before;
  const first = before ?? games[0]!;
  const now = games.findLast(({ item }) => item === first.item) ?? games.at(-1)!;
  element('before').replaceChildren(drawGame(first));
  element('now').replaceChildren(drawGame(now));
  return first;
}

interface Results {
  readonly policies: readonly {
    readonly metrics: { readonly 'test/episodic_return': number };
    readonly interval: { readonly low: number; readonly high: number };
  }[];
}

/** Writes how well the last policy plays the test games. */
function resultText({ policies }: Results): string {
  const { metrics, interval } = policies.at(-1)!;
  const [mean, low, high] = [metrics['test/episodic_return'], interval.low, interval.high].map((x) => x.toFixed(1));
  return `The last policy's return in the test is ${mean} (95 % interval ${low} to ${high}).`;
}

/** A run that has begun. After the tab was closed, the same command resumes it. */
interface Begun {
  readonly argv: readonly string[];
  readonly path: string;
}
const BEGUN = 'bowyer run';
const resume = element<HTMLButtonElement>('resume');
const begun = (): Begun | null => JSON.parse(localStorage.getItem(BEGUN) ?? 'null') as Begun | null;
resume.hidden = begun() === null;

/** Reads a metric from all rows that a run has written so far. */
async function valuesBefore(path: string, key: string): Promise<number[]> {
  const bytes = await program()
    .read(`/work/${path}/metrics.jsonl`)
    .catch(() => new Uint8Array()); // the run has not written the file yet
  return rowsOf<Record<string, number>>(linesOf(bytes)).flatMap((row) => row[key] ?? []);
}

async function run({ argv, path }: Begun, signal: AbortSignal): Promise<void> {
  localStorage.setItem(BEGUN, JSON.stringify({ argv, path }));
  const clones = argv.includes(CLONING);
  const [key, noun] = clones ? ['losses/nll', 'loss'] : ['rollout/episodic_return', 'return'];
  const games = `/work/${path}/trajectories/${clones ? 'test' : 'rollout'}.jsonl`;
  const perfect = PERFECT[argv.filter((word) => word.startsWith('env.')).join(' ')];
  const values = await valuesBefore(path, key!);
  let before: Game | null = null;
  let drawn = 0;
  let result = '';
  element('curve-title').textContent = clones ? 'Loss of each epoch' : 'Return of each iteration';
  const onEvent = (event: Readonly<Record<string, unknown>>): void => {
    if (event.event === 'log') {
      log.textContent += `${String(event.message)}\n`;
      status.textContent = String(event.message);
    }
    if (event.event === 'results') result = resultText(event as unknown as Results);
    const value = event[key!];
    if (event.event !== 'metrics' || typeof value !== 'number') return;
    values.push(value);
    status.textContent = `${clones ? 'Epoch' : 'Iteration'} ${values.length}: ${noun} ${value.toFixed(2)}`;
    const marks: Record<string, number> = !clones && perfect !== undefined ? { 'perfect player': perfect } : {};
    const optimum = 'perfect player' in marks ? `; a perfect player has ${perfect}` : '';
    const title = `The ${noun} ${values.length} times, ${value.toFixed(2)} in the last${optimum}`;
    const range = clones ? { low: 0, high: Math.max(...values) } : { low: WORST, high: 0 };
    element('curve').replaceChildren(
      drawCurve(values, { title, ...range, unit: clones ? 'epoch' : 'iteration', marks }),
    );
    if (performance.now() - drawn < REDRAW_MS) return;
    drawn = performance.now();
    void showGames(games, before).then((first) => (before = first));
  };
  // Lines that are not events belong to the text of an error.
  const onLine = (line: string): void => {
    if (!line.startsWith('{')) log.textContent += `${line}\n`;
  };
  const code = await program().run([...argv, `save_path=${path}`], { onEvent, onLine, signal });
  await showGames(games, before);
  if (code !== 0) throw new Error('The run ended with an error; see the log.');
  if (signal.aborted) {
    resume.hidden = false;
    throw new Error('stopped');
  }
  localStorage.removeItem(BEGUN);
  resume.hidden = true;
  const optimum = perfect === undefined ? '' : ` A perfect player has ${perfect}.`;
  status.textContent = `Done after ${values.length} ${clones ? 'epochs' : 'iterations'}. ${result}${optimum}`;
}

const showCommand = (): void => {
  element('command').textContent = `npx bowyer ${argumentsOf(new FormData(form)).join(' ')}`;
};
form.addEventListener('input', showCommand);
showCommand();

let resumes = false;
resume.addEventListener('click', () => {
  resumes = true;
  form.requestSubmit();
});

onSubmit(form, status, async (signal) => {
  log.textContent = '';
  status.textContent = 'Loading the program…';
  const last = resumes ? begun() : null;
  resumes = false;
  const fields = new FormData(form);
  const path = `run-${Date.now()}`;
  const ownGame = last === null && fields.has('own') ? await writeOwnGame(path) : OWN_GAME;
  await run(last ?? { argv: argumentsOf(fields, ownGame), path }, signal);
});
