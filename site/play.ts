// The page for playing Twenty Questions: against an agent that was trained in this browser, and with the oracle.
import { element, made, onSubmit, program } from './dom.js';
import { command, ServedModel } from './served-model.js';

/** The ten things of the first screen. */
const WORDS = ['football', 'dog', 'banana', 'truck', 'pants', 'computer', 'piano', 'chair', 'pen', 'scissors'];
const MOST_TURNS = 20;

const status = element('status');
const tell = (line: string): void => {
  status.textContent = line;
};
const answers = element('answers');
let served: ServedModel | null = null;

/** Lists the runs in this browser that have an agent. */
async function showRuns(): Promise<void> {
  const files = Object.keys(await program().list('/work'));
  const runs = files.flatMap((path) => /^\/work\/([^/]+)\/checkpoints\/best\/config\.json$/.exec(path)?.[1] ?? []);
  element('run').replaceChildren(...runs.map((run) => new Option(run, run)));
  element('agent').querySelector('button')!.disabled = runs.length === 0;
  element('oracle').querySelector<HTMLButtonElement>('[type=submit]')!.disabled = false;
  element('words').textContent = `Think of one of these: ${WORDS.join(', ')}.`;
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
  const folder = `/work/${element<HTMLSelectElement>('run').value}`;
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
    if (answer === 'Yes.' && WORDS.some((word) => question.replace('?', '').endsWith(` ${word}`)))
      return tell(`It has found it with ${turn} questions: a return of ${1 - turn}.`);
  }
  tell(`It has not found it: a return of −${MOST_TURNS}.`);
});

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
  const argv = ['--config-name', 'replay', 'env=twenty_questions', `input=${input}`, `output=${output}`];
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
