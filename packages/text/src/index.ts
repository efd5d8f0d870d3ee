export { loadTokenizer, HuggingFaceTokenizer, type Tokenizer } from './tokenizers/tokenizer.js';
export { TokenSpelling } from './tokenizers/token-spelling.js';
export { wordLevelTokenizer } from './tokenizers/word-level-tokenizer.js';
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
export { TemplateError } from './jinja/template-error.js';
export { compileRegex, PatternError } from './tokenizers/pipeline/patterns.js';
export { DefinitionError } from './tokenizers/pipeline/definition.js';
