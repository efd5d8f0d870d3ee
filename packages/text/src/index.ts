export { loadTokenizer, HuggingFaceTokenizer, type Tokenizer } from './tokenizers/tokenizer.js';
export { TokenSpelling } from './tokenizers/token-spelling.js';
export { byteTokens, GrowingText, type GrowingTextOptions } from './tokenizers/growing-text.js';
export { wordLevelTokenizer } from './tokenizers/word-level-tokenizer.js';
export { bytePairTokenizer } from './tokenizers/byte-pair-tokenizer.js';
export { chatTemplate, templateSource, templateTokens } from './chat/chat-template.js';
export {
  ChatTemplateError,
  ChatTemplateLimitError,
  cutRight,
  lossWeight,
  type ChatMessage,
  type ChatTemplate,
  type ContentPart,
  type Conversation,
  type EncodedConversation,
  type PromptEnding,
  type TemplateInputs,
} from './chat/chat-message.js';
export { Template, type Rendered } from './jinja/template.js';
export {
  jsonAsWritten,
  keepNumber,
  keepNumbers,
  numberText,
  parseJson,
  textAsWritten,
  writtenJson,
} from './jinja/written-json.js';
export { TemplateError } from './jinja/template-error.js';
export { compileRegex, PatternError } from './tokenizers/pipeline/patterns.js';
export { DefinitionError, type AddedToken } from './tokenizers/pipeline/definition.js';
export {
  characters,
  either,
  repeat,
  rule,
  sequence,
  text,
  textWithout,
  token,
  type Grammar,
} from './constraint/grammar.js';
export { type TokenConstraint } from './constraint/token-constraint.js';
export {
  ConstraintCompiler,
  type CompiledConstraint,
  type ConstraintCompilerOptions,
} from './constraint/constraint-compiler.js';
export { EmptyGrammarError, GrammarError } from './constraint/grammar-error.js';
export { TokenVocabulary, type TokenVocabularyOptions } from './constraint/token-vocabulary.js';
export { pattern, UnsupportedPatternError } from './constraint/ecma-pattern.js';
export { hasPattern } from './constraint/regular-questions.js';
export { SchemaDocument } from './constraint/json/schema-document.js';
export { jsonValue, readingTogether, type JsonValueOptions } from './constraint/json/json-value.js';
export { spend } from './constraint/effort.js';
export { UnsupportedSchemaError } from './constraint/json/unsupported-schema-error.js';
export { finished, type Steps } from './steps.js';
