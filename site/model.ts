// Runs the page for the visitor's own model: chat, and LoRA training on pasted conversations.
import { zipSync } from 'fflate';
import { AnswerView } from './answer-view.js';
import { drawCurve } from './curve.js';
import { download, element, made, onSubmit, program } from './dom.js';
import { chosenFiles, droppedFiles, problemOf, type ModelFiles } from './dropped-files.js';
import { command, keepModel, ServedModel, TUNED, type Tell } from './served-model.js';

interface Message {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly object[];
}

const status = element('status');
const tell: Tell = (line) => {
  status.textContent = line;
};
const chat = element<HTMLFormElement>('chat');
const tuning = element<HTMLFormElement>('tuning');
const conversation = element('conversation');
const who = element<HTMLSelectElement>('who');

let folder: string | null = null;
/** The name of the model's file or folder. */
let name = 'MODEL';
let served: ServedModel | null = null;
let adapter: string | null = null;
let runs = 0;
const messages: Message[] = [];

/** Stops the server while other commands run. */
async function stopServer(): Promise<void> {
  await served?.stop();
  served = null;
}

async function serve(): Promise<void> {
  served = await ServedModel.start(folder!, adapter, tell);
  const names = adapter === null ? [''] : ['', TUNED];
  who.replaceChildren(...names.map((name) => new Option(name === '' ? 'the model' : 'with your adapter', name)));
  who.value = names.at(-1)!;
  tell('The model is ready: it runs in this page.');
}

async function open(given: ModelFiles): Promise<void> {
  const problem = problemOf(given);
  if (problem !== null) throw new Error(problem);
  chat.hidden = tuning.hidden = true;
  await stopServer();
  tell('Loading the program…');
  await use(await keepModel(given, tell), given.name);
}

/** Serves the model of a folder. @param title its name outside of this page */
async function use(given: string, title: string): Promise<void> {
  folder = given;
  name = title;
  adapter = null;
  clear();
  await serve();
  chat.hidden = tuning.hidden = false;
  element('results').hidden = true;
  showCommand();
}

const opened = (given: Promise<ModelFiles> | ModelFiles): void =>
  void Promise.resolve(given)
    .then(open)
    .catch((error: Error) => tell(error.message));
for (const id of ['file', 'folder']) {
  const input = element<HTMLInputElement>(id);
  input.addEventListener('change', () => opened(chosenFiles(input.files!)));
}
const target = element('drop');
target.addEventListener('dragover', (event) => event.preventDefault());
target.addEventListener('drop', (event) => {
  event.preventDefault();
  opened(droppedFiles(event.dataTransfer!));
});

const CONVERSATIONS = '/tmp/conversations.jsonl';
const keepConversations = (): Promise<void> =>
  program().write(CONVERSATIONS, new TextEncoder().encode(String(new FormData(tuning).get('conversations'))));

element('make').addEventListener('click', () => {
  void (async () => {
    tell('Loading the program…');
    await keepConversations();
    await stopServer();
    const run = `/tmp/made-${++runs}`;
    const argv = ['--config-name', 'start_model', `data=${CONVERSATIONS}`, 'validation_share=0', 'epochs=60'];
    await command([...argv, `save_path=${run}`], tell);
    await use(`${run}/checkpoints/best`, 'made');
  })().catch((error: Error) => tell(error.message));
});

function clear(): void {
  messages.length = 0;
  conversation.replaceChildren();
  element('likely').replaceChildren();
}
element('clear').addEventListener('click', clear);

function show(role: string, content: Node | string): HTMLElement {
  const block = made('div', '', { className: `message ${role}` });
  block.append(made('strong', role), content);
  conversation.append(block);
  return block;
}

/** Reads the JSON of a field. @throws if it is not JSON */
function jsonOf(field: string, title: string): unknown {
  const text = String(new FormData(chat).get(field)).trim();
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${title}: ${(error as Error).message}`);
  }
}

onSubmit(chat, status, async (signal) => {
  const fields = new FormData(chat);
  const schema = jsonOf('schema', 'The schema');
  const request = {
    model: who.value || undefined,
    temperature: Number(fields.get('temperature')),
    max_tokens: Number(fields.get('tokens')),
    tools: jsonOf('tools', 'Tools'),
    ...(schema !== undefined && {
      response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
    }),
  };
  const asked = { role: String(fields.get('role')), content: String(fields.get('text')) };
  messages.push(asked);
  show(asked.role, made('p', asked.content));
  element<HTMLTextAreaElement>('text').value = '';
  await answer(request, signal);
});

/** Adds the model's answer to the conversation. */
async function answer(request: object, signal: AbortSignal): Promise<void> {
  const view = new AnswerView(element('likely'));
  const block = show('assistant', view.element);
  let content = '';
  const calls: { name: string; arguments: string }[] = [];
  tell('The model writes…');
  const began = performance.now();
  let count = 0;
  await served!.answer({ ...request, messages }, signal, (delta, tokens) => {
    content += delta.content ?? '';
    for (const { function: called } of delta.tool_calls ?? []) {
      if (called.name !== undefined) calls.push({ name: called.name, arguments: '' });
      calls.at(-1)!.arguments += called.arguments ?? '';
    }
    view.add(tokens);
    count += tokens.length;
  });
  for (const call of calls) block.append(made('pre', `${call.name}(${call.arguments})`, { className: 'call' }));
  const toolCalls = calls.map((called, i) => ({ id: `call_${i}`, type: 'function', function: called }));
  messages.push({ role: 'assistant', content, ...(calls.length > 0 && { tool_calls: toolCalls }) });
  element<HTMLSelectElement>('role').value = calls.length > 0 ? 'tool' : 'user';
  tell(`${count} tokens, ${((1000 * count) / (performance.now() - began)).toFixed(1)} tokens per second.`);
}

/** Returns the arguments of the training from the form. */
function tuningArguments(model: string, data: string, run: string): string[] {
  const fields = new FormData(tuning);
  return [
    '--config-name',
    'finetune',
    `task.model=${model}`,
    `task.data=${data}`,
    'task.validation_share=0',
    `task.epochs=${String(fields.get('epochs'))}`,
    `task.lr=${String(fields.get('lr'))}`,
    'task.logging_steps=1',
    'lora.enabled=true',
    `lora.r=${String(fields.get('rank'))}`,
    'lora.target_modules=all-linear',
    `seed=${String(fields.get('seed'))}`,
    `save_path=${run}`,
  ];
}

const nameOf = (path: string): string => path.split('/').at(-1)!;
function showCommand(): void {
  const argv = tuningArguments(name, 'conversations.jsonl', TUNED);
  element('command').textContent = `npx bowyer ${argv.join(' ')}`;
}
tuning.addEventListener('input', showCommand);
showCommand();

onSubmit(tuning, status, async (signal) => {
  const run = `/tmp/tuned-${++runs}`;
  const losses: number[] = [];
  const onEvent = (event: Readonly<Record<string, unknown>>): void => {
    const loss = event['losses/nll'];
    if (event.event === 'log') tell(String(event.message));
    if (event.event !== 'metrics' || typeof loss !== 'number') return;
    losses.push(loss);
    const title = `Loss of ${losses.length} steps, ${loss.toFixed(3)} in the last`;
    element('loss').replaceChildren(drawCurve(losses, { title, low: 0, high: Math.max(...losses), unit: 'step' }));
    tell(`Step ${losses.length}: loss ${loss.toFixed(3)}`);
  };
  await keepConversations();
  element('results').hidden = true;
  chat.hidden = true;
  await stopServer();
  try {
    await command(tuningArguments(folder!, CONVERSATIONS, run), tell, { signal, onEvent });
    adapter = `${run}/checkpoints/best`;
    element('results').hidden = false;
  } finally {
    await serve();
    chat.hidden = false;
  }
  clear();
  tell(`Trained for ${losses.length} steps; the chat above has the adapter.`);
});

/** Reads the files of the adapter, with the base's name outside of this page. */
async function adapterFiles(): Promise<Record<string, Uint8Array>> {
  const files: Record<string, Uint8Array> = {};
  for (const path of Object.keys(await program().list(adapter!))) {
    const bytes = await program().read(path);
    const text = path.endsWith('adapter_config.json') ? new TextDecoder().decode(bytes) : null;
    files[`${TUNED}/${nameOf(path)}`] =
      text === null ? bytes : new TextEncoder().encode(text.replaceAll(folder!, nameOf(folder!)));
  }
  return files;
}

const downloads: Readonly<Record<string, () => Promise<void>>> = {
  async adapter() {
    download(`${TUNED}.zip`, zipSync(await adapterFiles(), { level: 0 }));
  },
  async gguf() {
    const output = `/tmp/exported-${runs}/${TUNED}.gguf`;
    await stopServer();
    const argv = ['--config-name', 'export', `model=${adapter!}`, 'format=gguf', 'merge=true', `output=${output}`];
    try {
      await command(argv, tell);
    } finally {
      await serve();
    }
    download(`${TUNED}.gguf`, await program().read(output));
    tell(`${TUNED}.gguf has the model with the adapter.`);
  },
};
for (const [kind, work] of Object.entries(downloads)) {
  const button = element<HTMLButtonElement>(`download-${kind}`);
  button.addEventListener('click', () => {
    button.disabled = true;
    work()
      .catch((error: Error) => tell(error.message))
      .finally(() => (button.disabled = false));
  });
}

element('policy').textContent = document.querySelector<HTMLMetaElement>('meta[http-equiv]')!.content;
