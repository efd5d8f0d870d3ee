// Converts the tokenizer in the metadata of a GGUF file to a Hugging Face tokenizer; export/gguf/vocabulary.ts converts in the
// other direction.
// Source: llama-vocab.cpp of ggml-org/llama.cpp.
import { HuggingFaceTokenizer } from '@bowyer/text';
import { preTokenizerOf } from '../../export/gguf/pre-tokenizer-names.js';
import { KIND, type Tokens } from '../../export/gguf/tokens.js';
import { addedToken, aroundTexts, sentencePieceDefinition, SPACE_SYMBOL } from '../sentencepiece-definition.js';
import type { GgufMetadata } from './gguf-metadata.js';

/** The parts of tokenizer.json that depend on the kind of vocabulary (e.g. SentencePiece or byte-level BPE). */
interface Vocabulary {
  definition: object;
  /** Whether the tokenizer adds the BOS token at the beginning of texts if the file does not say. */
  addsBos: boolean;
}

type ReadVocabulary = (metadata: GgufMetadata, tokens: Tokens) => Vocabulary;

const readers: Readonly<Record<string, ReadVocabulary>> = { gpt2: byteLevelBpe, llama: sentencePiece, t5: unigram };

const OTHERS =
  'give the tokenizer.json of the model: bowyer --config-name convert task.input=FILE task.tokenizer=FOLDER task.output=NAME';

export function ggufTokenizer(metadata: GgufMetadata): HuggingFaceTokenizer {
  const model = metadata.text('tokenizer.ggml.model');
  const reader = readers[model];
  if (!reader)
    throw metadata.fail(
      `its tokenizer is ${JSON.stringify(model)}; the ones that are read: ${Object.keys(readers).join(', ')}`,
      OTHERS,
    );
  const tokens = tokensOf(metadata);
  const { definition, addsBos } = reader(metadata, tokens);
  const id = (role: string) => {
    const key = `tokenizer.ggml.${role}_token_id`;
    if (!metadata.has(key)) return null;
    const [value, spelling] = [metadata.number(key), tokens.spellings[metadata.number(key)]];
    if (spelling === undefined) throw metadata.fail(`${key} is ${value}, and it has ${tokens.spellings.length} tokens`);
    return [spelling, value] as const;
  };
  const [bos, eos, unknown, pad] = [id('bos'), id('eos'), id('unknown'), id('padding')];
  const adds = (role: string, otherwise: boolean) => metadata.flag(`tokenizer.ggml.add_${role}_token`, otherwise);
  const around = aroundTexts(adds('bos', addsBos) ? bos : null, adds('eos', false) ? eos : null);
  const whole = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: tokens.spellings.flatMap((content, i) => {
      const kind = tokens.kinds[i];
      const isSpecial = kind === KIND.control || kind === KIND.unknown;
      return isSpecial || kind === KIND.userDefined ? [addedToken(i, content, isSpecial)] : [];
    }),
    post_processor: around,
    ...definition,
  };
  const config = {
    ...(bos && { bos_token: bos[0] }),
    ...(eos && { eos_token: eos[0] }),
    ...(unknown && { unk_token: unknown[0] }),
    ...(pad && { pad_token: pad[0] }),
    clean_up_tokenization_spaces: false,
    tokenizer_class: 'PreTrainedTokenizerFast',
    ...templateFields(metadata),
  };
  return new HuggingFaceTokenizer(whole, config, metadata.file.path);
}

function tokensOf(metadata: GgufMetadata): Tokens {
  const spellings = metadata.texts('tokenizer.ggml.tokens');
  const kinds = metadata.has('tokenizer.ggml.token_type')
    ? metadata.numbers('tokenizer.ggml.token_type')
    : spellings.map(() => KIND.normal);
  if (kinds.length !== spellings.length)
    throw metadata.fail(
      `it has ${spellings.length} tokens and the kinds of ${kinds.length}`,
      'download the file again',
    );
  return { spellings, kinds: kinds as Tokens['kinds'] };
}

/** Maps the spelling of each token to its id, without unused tokens. */
const idsOf = ({ spellings, kinds }: Tokens): Map<string, number> =>
  new Map(spellings.flatMap((spelling, id) => (kinds[id] === KIND.unused ? [] : [[spelling, id]])));

function byteLevelBpe(metadata: GgufMetadata, tokens: Tokens): Vocabulary {
  const name = metadata.text('tokenizer.ggml.pre', 'none');
  const { component, ignoresMerges } = preTokenizerOf(name, (problem) => metadata.fail(problem, OTHERS));
  return {
    definition: {
      normalizer: null,
      pre_tokenizer: component,
      decoder: { type: 'ByteLevel' },
      model: {
        type: 'BPE',
        vocab: Object.fromEntries(idsOf(tokens)),
        merges: metadata.texts('tokenizer.ggml.merges'),
        ignore_merges: ignoresMerges,
      },
    },
    addsBos: ignoresMerges && name !== 'tekken',
  };
}

function sentencePiece(metadata: GgufMetadata, tokens: Tokens): Vocabulary {
  const scores = scoresOf(metadata, tokens);
  const made = tokens.spellings.flatMap((text, id) =>
    tokens.kinds[id] === KIND.normal ? [{ text, score: scores[id] }] : [],
  );
  const unknown = tokens.spellings[metadata.number('tokenizer.ggml.unknown_token_id', 0)] ?? '<unk>';
  const ids = idsOf(tokens);
  const options = { unknown, addsPrefix: addsPrefix(metadata), hasBytes: ids.has('<0x00>') };
  return { definition: sentencePieceDefinition(ids, made, options), addsBos: true };
}

const addsPrefix = (metadata: GgufMetadata) => metadata.flag('tokenizer.ggml.add_space_prefix', true);

function scoresOf(metadata: GgufMetadata, { spellings }: Tokens): number[] {
  const scores = metadata.numbers('tokenizer.ggml.scores');
  if (scores.length === spellings.length) return scores;
  throw metadata.fail(`it has ${spellings.length} tokens and ${scores.length} scores`, 'download the file again');
}

function unigram(metadata: GgufMetadata, tokens: Tokens): Vocabulary {
  const scores = scoresOf(metadata, tokens);
  const charsmap = metadata.value('tokenizer.ggml.precompiled_charsmap');
  const joinsSpaces = metadata.flag('tokenizer.ggml.remove_extra_whitespaces', false);
  const marksSpaces = { type: 'Replace', pattern: { String: ' ' }, content: SPACE_SYMBOL };
  const last = tokens.kinds.findLastIndex((kind) => kind !== KIND.unused);
  return {
    definition: {
      normalizer: {
        type: 'Sequence',
        normalizers: [
          ...(Array.isArray(charsmap)
            ? [{ type: 'Precompiled', precompiled_charsmap: Buffer.from(charsmap as number[]).toString('base64') }]
            : []),
          ...(joinsSpaces
            ? [
                { type: 'Strip', strip_left: true, strip_right: true },
                { type: 'Replace', pattern: { Regex: ' {2,}' }, content: ' ' },
              ]
            : []),
          ...(addsPrefix(metadata) ? [{ type: 'Prepend', prepend: SPACE_SYMBOL }] : []),
          marksSpaces,
        ],
      },
      pre_tokenizer: null,
      decoder: {
        type: 'Sequence',
        decoders: [
          { type: 'Replace', pattern: { String: SPACE_SYMBOL }, content: ' ' },
          { type: 'Fuse' },
          ...(addsPrefix(metadata) ? [{ type: 'Strip', content: ' ', start: 1, stop: 0 }] : []),
        ],
      },
      model: {
        type: 'Unigram',
        unk_id: metadata.number('tokenizer.ggml.unknown_token_id', 2),
        vocab: tokens.spellings.slice(0, last + 1).map((spelling, id) => [spelling, scores[id]]),
        byte_fallback: false,
      },
    },
    addsBos: false,
  };
}

/** Returns `chat_template` of tokenizer_config.json: one template, or a list of named ones where the file has several. */
function templateFields(metadata: GgufMetadata): object {
  const main = metadata.has('tokenizer.chat_template') ? metadata.text('tokenizer.chat_template') : null;
  const names = metadata.has('tokenizer.chat_templates') ? metadata.texts('tokenizer.chat_templates') : [];
  const named = names.flatMap((name) =>
    name === 'default' ? [] : [{ name, template: metadata.text(`tokenizer.chat_template.${name}`) }],
  );
  if (named.length === 0) return main === null ? {} : { chat_template: main };
  return { chat_template: [...(main === null ? [] : [{ name: 'default', template: main }]), ...named] };
}
