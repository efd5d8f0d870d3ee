// Compares with a recording of packages/text/test/record-chat-templates.py.
import { ChatTemplateError, type ChatMessage, type TemplateInputs } from '../../src/chat/chat-message.js';
import { JinjaTemplate } from '../../src/chat/jinja-template.js';
import { HuggingFaceTokenizer } from '../../src/tokenizers/tokenizer.js';

interface Result {
  text?: string;
  ids?: number[];
  mask?: string;
  /** The class of Python's error if the template refused the conversation. */
  error?: string;
}

export interface Recording {
  conversations: Record<string, RecordedConversation>;
  tokenizer: Record<string, unknown>;
  config: Record<string, unknown>;
  templates: Record<string, string>;
  results: Record<string, Record<string, { whole: Result; prompt: Result }>>;
}

interface RecordedConversation {
  messages: ChatMessage[];
  tools?: TemplateInputs['tools'];
  documents?: TemplateInputs['documents'];
  chat_template_kwargs?: TemplateInputs['variables'];
}

export interface Comparison {
  name: string;
  compared: number;
  /** The number of results with generation blocks. */
  masks: number;
  differences: string[];
}

/** Returns the time that `strftime_now` had during the recording. */
const recordedTime = () => new Date(2025, 2, 4, 15, 6, 7);

export const inputsOf = (conversation: RecordedConversation): TemplateInputs => {
  const { tools, documents, chat_template_kwargs: variables } = conversation;
  return { ...(tools && { tools }), ...(documents && { documents }), ...(variables && { variables }) };
};

export function compareRecording(recording: Recording): Comparison[] {
  const tokenizer = new HuggingFaceTokenizer(recording.tokenizer, recording.config);
  return Object.keys(recording.templates).map((name) => compareTemplate(name, tokenizer, recording));
}

function compareTemplate(name: string, tokenizer: HuggingFaceTokenizer, recording: Recording): Comparison {
  const { conversations, config, templates, results } = recording;
  const template = new JinjaTemplate(templates[name], tokenizer, { variables: config, now: recordedTime });
  const found: Comparison = { name, compared: 0, masks: 0, differences: [] };
  for (const [key, conversation] of Object.entries(conversations)) {
    const { whole, prompt } = results[name][key];
    const inputs = inputsOf(conversation);
    const compare = (what: string, wanted: unknown, got: unknown) => {
      found.compared++;
      const [a, b] = [JSON.stringify(wanted ?? null), JSON.stringify(got)];
      if (a !== b) found.differences.push(`${key}, ${what}: ${excerpts(a, b)}`);
    };
    const textOf = (asks: boolean) => refusable(() => template.render(conversation.messages, inputs, asks).text);
    compare('prompt', prompt.text, textOf(true));
    compare('text', whole.text, textOf(false));
    if (!template.hasGenerationBlocks) continue;
    const encoded = refusable(() => template.encodeConversation(conversation.messages, inputs)[0]);
    compare('ids', whole.ids, encoded === null ? null : encoded.ids);
    compare('mask', whole.mask, encoded === null ? null : encoded.lossMask.join(''));
    found.masks++;
  }
  return found;
}

/** Calls `make`; returns null if the template refuses. */
function refusable<T>(make: () => T): T | null {
  try {
    return make();
  } catch (error) {
    if (error instanceof ChatTemplateError) return null;
    throw error;
  }
}

function excerpts(wanted: string, got: string): string {
  let at = 0;
  while (wanted[at] === got[at]) at++;
  const from = Math.max(0, at - 20);
  return `at ${at} ${wanted.slice(from, at + 60)} became ${got.slice(from, at + 60)}`;
}
