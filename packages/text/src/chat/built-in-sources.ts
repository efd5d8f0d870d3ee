// Holds the built-in chat templates (built-in-templates.ts) as Jinja source, which is saved with a model that was trained with
// one, so that transformers writes dialogues as in training. When such a folder is loaded here, the built-in template itself is
// used.
import type { BuiltInTemplate } from './built-in-templates.js';

const TEXT_OF = `{%- macro text_of(content) -%}
    {%- if content is string -%}{{- content -}}
    {%- elif content -%}{%- for part in content -%}{{- part.text -}}{%- endfor -%}{%- endif -%}
{%- endmacro -%}
`;

/**
 * Llama 2's template, with the system message in the first user message. `before`: the text before each reply of the assistant.
 */
const llama2 = (before: string) => `${TEXT_OF}{%- set ns = namespace(start=0, system=none) -%}
{%- if messages and messages[0].role == 'system' -%}
    {%- set ns.start = 1 -%}
    {%- set ns.system = text_of(messages[0].content) -%}
{%- endif -%}
{%- for message in messages[ns.start:] -%}
    {%- if message.role == 'assistant' -%}
        {{- '${before}' + text_of(message.content) + '</s>' -}}
    {%- else -%}
        {{- '<s>[INST] ' -}}
        {%- if loop.first and ns.system is not none -%}{{- '<<SYS>>\\n' + ns.system + '\\n<</SYS>>\\n\\n' -}}{%- endif -%}
        {{- text_of(message.content) + ' [/INST]' -}}
    {%- endif -%}
{%- endfor -%}
`;

export const builtInSources: Record<BuiltInTemplate, string> = {
  llama2: llama2(''),
  llama2_bc: llama2(' '),
  chatml: `${TEXT_OF}{%- for message in messages -%}
    {%- if loop.first and message.role != 'system' -%}
        {{- '<|im_start|>system\\nYou are a helpful assistant<|im_end|>\\n' -}}
    {%- endif -%}
    {{- '<|im_start|>' + message.role + '\\n' + text_of(message.content) + '<|im_end|>' -}}
    {{- '' if message.role == 'assistant' else '\\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}
`,
  llama3: `${TEXT_OF}{%- for message in messages -%}
    {{- '<|begin_of_text|>' if loop.first else '' -}}
    {{- '<|start_header_id|>' + message.role + '<|end_header_id|>\\n\\n' -}}
    {{- text_of(message.content).rstrip(' \\n\\t') + '<|eot_id|>' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' -}}{%- endif -%}
`,
  chatglm4: `${TEXT_OF}{%- set ns = namespace(before='') -%}
{%- for message in messages -%}
    {{- '[gMASK]<sop>' if loop.first else '' -}}
    {%- if message.role == 'assistant' -%}
        {{- '<|assistant|>\\n' + text_of(message.content) + '<|user|>' -}}
    {%- else -%}
        {{- '' if message.role == 'user' and ns.before == 'assistant' else '<|' + message.role + '|>' -}}
        {{- '\\n' + text_of(message.content) -}}
    {%- endif -%}
    {%- set ns.before = message.role -%}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|assistant|>\\n' -}}{%- endif -%}
`,
};

export const builtInOf = (source: string): BuiltInTemplate | undefined =>
  (Object.keys(builtInSources) as BuiltInTemplate[]).find((name) => builtInSources[name] === source);
