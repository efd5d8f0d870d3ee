// Runs the page on which a person plays Twenty Questions: against an agent that was trained in this browser, and with the oracle
// of its game.
import { parse } from 'yaml';
import { element, made, onSubmit, program } from './dom.js';
import { command, ServedModel } from './served-model.js';

/** The ten things of the usual game. */
const USUAL = ['football', 'dog', 'banana', 'truck', 'pants', 'computer', 'piano', 'chair', 'pen', 'scissors'];
const MOST_TURNS = 20;
/** The answer of a person to the right guess, where the page does not know the names. */
const FOUND = 'Yes, that is it.';

const status = element('status');
const tell = (line: string): void => {
  status.textContent = line;
};
const answers = element('answers');
const chosen = element<HTMLSelectElement>('run');
let served: ServedModel | null = null;

/** The game that an agent was trained on: `env.words` of its run, and the names of the things; null where they are a list of the package. */
interface TrainedGame {
  readonly words: string | readonly string[];
  readonly names: readonly string[] | null;
}
const USUAL_GAME: TrainedGame = { words: 'subset10', names: USUAL };

const textOf = async (path: string): Promise<string> => new TextDecoder().decode(await program().read(path));

/** Reads the game of the chosen agent; the usual one where none was trained. */
async function gameOfRun(): Promise<TrainedGame> {
  if (chosen.value === '') return USUAL_GAME;
  const config = parse(await textOf(`/work/${chosen.value}/.hydra/config.yaml`)) as { env: TrainedGame };
  const { words } = config.env;
  if (typeof words !== 'string') return { words, names: words };
  if (words === USUAL_GAME.words) return USUAL_GAME;
  if (!words.endsWith('.json')) return { words, names: null };
  return { words, names: Object.keys(JSON.parse(await textOf(`/work/${words}`)) as object) };
}

/** Says which things the chosen agent guesses. */
async function showWords(): Promise<void> {
  const { words, names } = await gameOfRun();
  element('words').textContent =
    names === null
      ? `Think of one of the things of the list “${words as string}”.`
      : `Think of one of these: ${names.join(', ')}.`;
}
chosen.addEventListener('change', () => {
  anotherGame();
  showWords().catch((error: Error) => tell(error.message));
});

/** Lists the runs of this browser that have an agent. */
async function showRuns(): Promise<void> {
  const files = Object.keys(await program().list('/work'));
  const runs = files.flatMap((path) => /^\/work\/([^/]+)\/checkpoints\/best\/config\.json$/.exec(path)?.[1] ?? []);
  chosen.replaceChildren(
    ...runs
      .toSorted()
      .toReversed()
      .map((run) => new Option(run, run)),
  ); // the newest first
  element('agent').querySelector('button')!.disabled = runs.length === 0;
  element('oracle').querySelector<HTMLButtonElement>('[type=submit]')!.disabled = false;
  await showWords();
  tell(
    runs.length > 0 ? 'Choose who plays.' : 'No agent was trained in this browser yet: train one on the first page.',
  );
}

/** Waits for the visitor's answer. */
function answered(): Promise<string> {
  answers.hidden = false;
  answers.querySelector('button')!.focus();
  return new Promise((resolve) => {
    answers.onclick = ({ target }) => {
      if (!(target instanceof HTMLButtonElement)) return;
      answers.hidden = true;
      resolve(target.value);
    };
  });
}

onSubmit(element<HTMLFormElement>('agent'), status, async (signal) => {
  const folder = `/work/${chosen.value}`;
  const { names } = await gameOfRun();
  answers.querySelector<HTMLButtonElement>(`[value="${FOUND}"]`)!.hidden = names !== null;
  if (served?.folder !== folder) {
    await served?.stop();
    served = null;
    served = await ServedModel.start(folder, null, tell);
  }
  const asked = element('asked');
  asked.replaceChildren();
  let history = 'Questions:\n';
  for (let turn = 1; turn <= MOST_TURNS; turn++) {
    tell(`Question ${turn} of ${MOST_TURNS}…`);
    const question = await served.completed(history, signal);
    const line = asked.appendChild(made('p', question));
    tell(`Question ${turn} of ${MOST_TURNS}: ${question}`);
    const answer = await answered();
    line.append(' ', made('strong', answer));
    history += `${question} ${answer}\n`;
    if (answer === FOUND || (answer === 'Yes.' && isGuess(question, names ?? [])))
      return tell(`It has found it with ${turn} questions: a return of ${1 - turn}.`);
  }
  tell(`It has not found it: a return of −${MOST_TURNS}.`);
});

/** Says whether a question names one of the things. */
function isGuess(question: string, names: readonly string[]): boolean {
  const asked = question.replace('?', '').toLowerCase();
  return names.some((name) => asked.endsWith(` ${name.toLowerCase()}`));
}

interface Replayed {
  readonly steps: readonly { readonly observation: string; readonly terminated: boolean; readonly reward: number }[];
}

const questions: string[] = [];
let seed = Date.now() % 2 ** 31;
function anotherGame(): void {
  seed++;
  questions.length = 0;
  element('replies').replaceChildren();
}
element('another').addEventListener('click', anotherGame);

onSubmit(element<HTMLFormElement>('oracle'), status, async () => {
  const field = element<HTMLInputElement>('question');
  await served?.stop();
  served = null;
  questions.push(field.value.trim());
  // The environment's oracle answers: the game is replayed with one more question.
  const [input, output] = ['/tmp/asked.jsonl', '/tmp/answered.jsonl'];
  await program().write(input, new TextEncoder().encode(JSON.stringify({ reset: { seed }, actions: questions })));
  tell('The oracle thinks…');
  const { words } = await gameOfRun();
  const argv = ['--config-name', 'replay', 'env=twenty_questions', `input=${input}`, `output=${output}`];
  argv.push(`env.words=${typeof words === 'string' ? words : `[${words.join(',')}]`}`);
  await command([...argv, 'save_path=/tmp/replay'], () => undefined);
  const { steps } = JSON.parse(new TextDecoder().decode(await program().read(output))) as Replayed;
  const last = steps.at(-1)!;
  element('replies').append(made('p', last.observation.trimEnd().split('\n').at(-1)!));
  field.value = '';
  field.focus();
  if (!last.terminated) return tell(`${questions.length} questions asked.`);
  tell(last.reward === 0 ? `Found with ${questions.length} questions.` : 'Not found in twenty questions.');
  questions.length = 0;
  seed++;
});

showRuns().catch((error: Error) => tell(error.message));
