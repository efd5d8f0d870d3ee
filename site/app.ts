// The first screen of the site: trains an agent in this page and draws what it learns.
import { drawCurve } from './curve.js';
import { element, onSubmit, program } from './dom.js';
import { drawGame, type Game } from './game.js';

/** Algorithms that learn Twenty Questions by play, by the configs that train them. */
const CONFIGS = {
  archer_20q: 'ArCHer',
  chai_20q: 'CHAI',
  online_filteredbc_20q: 'Filtered behaviour cloning',
  grpo_20q: 'GRPO',
} as const;

/** Bytes at the end of the file of rollouts in which its last games are. */
const TAIL = 200_000;
const REDRAW_MS = 1_000;

/** The return of a game of twenty wrong questions, and that of a perfect player with the demonstrator's questions on ten things. */
const WORST = -20;
const PERFECT = -2.9;

const form = element<HTMLFormElement>('settings');
const status = element('status');
const log = element('log');

for (const [name, title] of Object.entries(CONFIGS)) element<HTMLSelectElement>('config').add(new Option(title, name));

/** Returns the arguments of the command for what the form says. */
function argumentsOf(fields: FormData): string[] {
  const field = (name: string): string => String(fields.get(name));
  const config = field('config');
  return [
    '--config-name',
    config,
    `seed=${field('seed')}`,
    'device=cpu',
    'device.threads=1',
    'task.test_size=60',
    `demonstrations.count=${field('demonstrations')}`,
    `algorithm.iterations=${field('iterations')}`,
    ...(config === 'archer_20q' ? ['algorithm.actor.warmup_iterations=4'] : []),
  ];
}

/** Reads the last lines of a file of JSON lines. */
async function lastGames(path: string): Promise<Game[]> {
  const bytes = await program().read(path, TAIL);
  const lines = new TextDecoder().decode(bytes).split('\n');
  const whole = bytes.length < TAIL ? lines : lines.slice(1);
  return whole.filter((line) => line.endsWith('}')).map((line) => JSON.parse(line) as Game);
}

/** Shows the newest game about a thing that the game before was about, or the newest of all. */
async function showGames(path: string, before: Game | null): Promise<Game | null> {
  const games = await lastGames(path).catch(() => []); // not written yet
  if (games.length === 0) return before;
  const first = before ?? games[0]!;
  const now = games.findLast(({ item }) => item === first.item) ?? games.at(-1)!;
  element('before').replaceChildren(drawGame(first));
  element('now').replaceChildren(drawGame(now));
  return first;
}

async function run(argv: readonly string[], signal: AbortSignal): Promise<void> {
  const path = `run-${Date.now()}`;
  const returns: number[] = [];
  let before: Game | null = null;
  let drawn = 0;
  const onEvent = (event: Readonly<Record<string, unknown>>): void => {
    if (event.event === 'log') {
      log.textContent += `${String(event.message)}\n`;
      status.textContent = String(event.message);
    }
    const reward = event['rollout/episodic_return'];
    if (event.event !== 'metrics' || typeof reward !== 'number') return;
    returns.push(reward);
    const title = `Return of ${returns.length} iterations, ${reward.toFixed(2)} in the last; a perfect player has ${PERFECT}`;
    const marks = { 'perfect player': PERFECT };
    element('curve').replaceChildren(drawCurve(returns, { title, low: WORST, high: 0, unit: 'iteration', marks }));
    status.textContent = `Iteration ${String(event.iteration)}: return ${reward.toFixed(2)}`;
    if (performance.now() - drawn < REDRAW_MS) return;
    drawn = performance.now();
    void showGames(`/work/${path}/trajectories/rollout.jsonl`, before).then((first) => (before = first));
  };
  const code = await program().run([...argv, `save_path=${path}`], { onEvent, signal });
  await showGames(`/work/${path}/trajectories/rollout.jsonl`, before);
  status.textContent =
    code === 0 ? `Done after ${returns.length} iterations.` : 'The run ended with an error; see the log.';
}

const showCommand = (): void => {
  element('command').textContent = `npx bowyer ${argumentsOf(new FormData(form)).join(' ')}`;
};
form.addEventListener('input', showCommand);
showCommand();

onSubmit(form, status, async (signal) => {
  log.textContent = '';
  status.textContent = 'Loading the program…';
  await run(argumentsOf(new FormData(form)), signal);
});
