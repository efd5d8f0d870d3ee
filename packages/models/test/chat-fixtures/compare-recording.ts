// Compares with a recording of tools/record-chat-templates.py.
import { ChatTemplateError, type ChatMessage, type TemplateInputs } from '../../src/chat/chat-message.js';
import { JinjaTemplate } from '../../src/chat/jinja-template.js';
import { HuggingFaceTokenizer } from '../../src/tokenizers/tokenizer.js';

interface Result {
  text?: string;
  ids?: number[];
  mask?: string;
  /** The class of Python's error where the template refused. */
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
  /** Results with generation blocks. */
  masks: number;
  differences: string[];
}

/** What `strftime_now` wrote when it was recorded. */
export const RECORDED_TIME = () => new Date(2025, 2, 4, 15, 6, 7);

export const inputsOf = ({
  tools,
  documents,
  chat_template_kwargs: variables,
}: RecordedConversation): TemplateInputs => ({
  ...(tools && { tools }),
  ...(documents && { documents }),
  ...(variables && { variables }),
});

export function compareRecording({ conversations, tokenizer, config, templates, results }: Recording): Comparison[] {
  const ours = new HuggingFaceTokenizer(tokenizer, config);
  return Object.entries(templates).map(([name, source]) => {
    const template = new JinjaTemplate(source, ours, { variables: config, now: RECORDED_TIME });
    const found: Comparison = { name, compared: 0, masks: 0, differences: [] };
    for (const [key, conversation] of Object.entries(conversations)) {
      const { whole, prompt } = results[name][key];
      const { messages } = conversation;
      const inputs = inputsOf(conversation);
      const differ = (what: string, wanted: unknown, got: unknown) => {
        found.compared++;
        const [a, b] = [JSON.stringify(wanted), JSON.stringify(got)];
        if (a !== b) found.differences.push(`${key}, ${what}: ${excerpts(a, b)}`);
      };
      differ(
        'prompt',
        idsOf(prompt),
        refusable(() => template.encodePrompt(messages, inputs)),
      );
      if (!template.hasGenerationBlocks) {
        differ(
          'text',
          idsOf(whole),
          refusable(() => ours.encode(template.render(messages, inputs, false).text)),
        );
        continue;
      }
      const encoded = refusable(() => template.encodeConversation(messages, inputs)[0]);
      differ('ids', idsOf(whole), encoded === null ? null : encoded.ids);
      differ('mask', whole.mask ?? null, encoded === null ? null : encoded.lossMask.join(''));
      found.masks++;
    }
    return found;
  });
}

const idsOf = ({ ids }: Result): readonly number[] | null => ids ?? null;

/** Null where the template refuses. */
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
