// Defines the template chat.template=tools: dialogues as plain text, for models whose tokenizer has no tokens for roles, tools or
// thoughts. A reply ends with the end-of-text token. Earlier messages never change, so that a dialogue is one training example.
// Source of the form: the chat template of Hermes 2 Pro (huggingface.co/NousResearch/Hermes-2-Pro-Llama-3-8B), without its
// tokens.

export const toolsTemplate = `
{%- macro text_of(content) -%}
    {%- if content is string -%}
        {{- content -}}
    {%- elif content -%}
        {%- for part in content -%}{{- part.text -}}{%- endfor -%}
    {%- endif -%}
{%- endmacro -%}
{%- set ns = namespace(start=0, system='') -%}
{%- if messages and messages[0].role in ['system', 'developer'] -%}
    {%- set ns.start = 1 -%}
    {%- set ns.system = text_of(messages[0].content) -%}
{%- endif -%}
{%- if ns.system or tools or documents -%}
    {{- '### system\\n' + ns.system -}}
    {%- if tools -%}
        {{- '\\n\\n' if ns.system else '' -}}
        {{- 'You may call these tools. A call is <tool_call>{"name": ..., "arguments": {...}}</tool_call>.\\n<tools>' -}}
        {%- for tool in tools -%}
            {{- '\\n' + (tool | tojson) -}}
        {%- endfor -%}
        {{- '\\n</tools>' -}}
    {%- endif -%}
    {%- if documents -%}
        {{- '\\n\\n' if ns.system or tools else '' -}}
        {{- '<documents>' -}}
        {%- for document in documents -%}
            {{- '\\n' + (document | tojson) -}}
        {%- endfor -%}
        {{- '\\n</documents>' -}}
    {%- endif -%}
    {{- '\\n' -}}
{%- endif -%}
{%- for message in messages[ns.start:] -%}
    {%- if message.role == 'assistant' -%}
        {{- '### assistant\\n' -}}
        {%- set thought = message.reasoning_content or message.thinking or message.reasoning -%}
        {%- if thought -%}
            {{- '<think>\\n' + thought + '\\n</think>\\n\\n' -}}
        {%- endif -%}
        {%- set content = text_of(message.content) -%}
        {{- content -}}
        {%- for call in message.tool_calls or [] -%}
            {%- set called = call.function or call -%}
            {{- '\\n' if content or not loop.first else '' -}}
            {{- '<tool_call>\\n{"name": ' + (called.name | tojson) + ', "arguments": ' + (called.arguments | tojson) + '}\\n</tool_call>' -}}
        {%- endfor -%}
        {{- (eos_token or '') + '\\n' -}}
    {%- elif message.role == 'tool' -%}
        {{- '### tool\\n<tool_response>\\n' + text_of(message.content) + '\\n</tool_response>\\n' -}}
    {%- else -%}
        {{- '### ' + message.role + '\\n' + text_of(message.content) + '\\n' -}}
    {%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
    {{- '### assistant\\n' -}}
{%- endif -%}
`;
