# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Templates for the forms of conversation that are in wide use, written from their published descriptions, for models whose
files hold none. The tools of ChatML are those of Hermes (`<tool_call>`)."""

_CHATML = """\
{%- set system = messages[0].content if messages[0].role == 'system' else '' -%}
{%- if tools -%}
{{ '<|im_start|>system\n' }}{{ system + '\n\n' if system else '' -}}
You may call functions. Their signatures, one a line, stand between the tags:
<tools>
{%- for tool in tools %}{{ '\n' + (tool | tojson) }}{% endfor %}

</tools>

Write every call as a JSON object between tags of its own:
<tool_call>
{"name": "NAME", "arguments": {"ARGUMENT": "VALUE"}}
</tool_call>{{ '<|im_end|>\n' }}
{%- elif system -%}
{{ '<|im_start|>system\n' + system + '<|im_end|>\n' }}
{%- endif -%}
{%- for message in messages -%}
  {%- if message.role == 'system' and loop.first -%}
  {%- elif message.role == 'tool' -%}
    {{ '<|im_start|>user\n<tool_response>\n' + message.content + '\n</tool_response><|im_end|>\n' }}
  {%- else -%}
    {{ '<|im_start|>' + message.role + '\n' + (message.content or '') }}
    {%- for call in message.tool_calls or [] -%}
      {{ '\n<tool_call>\n' + ({'name': call.function.name, 'arguments': call.function.arguments} | tojson) + '\n</tool_call>' }}
    {%- endfor -%}
    {{ '<|im_end|>\n' }}
  {%- endif -%}
{%- endfor -%}
{{ '<|im_start|>assistant\n' if add_generation_prompt else '' }}"""

_LLAMA3 = """\
{{ bos_token }}
{%- set system = messages[0].content if messages[0].role == 'system' else '' -%}
{%- if tools -%}
{{ '<|start_header_id|>system<|end_header_id|>\n\n' + (system + '\n\n' if system else '') }}
{{- 'You may call functions. To call one, answer with JSON alone: {"name": NAME, "parameters": {ARGUMENT: VALUE}}\n' }}
  {%- for tool in tools -%}
    {{ '\n' + (tool | tojson) }}
  {%- endfor -%}
{{ '<|eot_id|>' }}
{%- elif system -%}
{{ '<|start_header_id|>system<|end_header_id|>\n\n' + system + '<|eot_id|>' }}
{%- endif -%}
{%- for message in messages -%}
  {%- if message.role == 'system' and loop.first -%}
  {%- elif message.tool_calls -%}
    {{ '<|start_header_id|>assistant<|end_header_id|>\n\n' + (message.content or '') }}
    {%- for call in message.tool_calls -%}
      {{ ('; ' if not loop.first else '') + ({'name': call.function.name, 'parameters': call.function.arguments} | tojson) }}
    {%- endfor -%}
    {{ '<|eot_id|>' }}
  {%- else -%}
    {%- set role = 'ipython' if message.role == 'tool' else message.role -%}
    {{ '<|start_header_id|>' + role + '<|end_header_id|>\n\n' + (message.content or '') | trim + '<|eot_id|>' }}
  {%- endif -%}
{%- endfor -%}
{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' if add_generation_prompt else '' }}"""

# A form without a turn of the system: what the system says stands in front of the user's first words.
_GEMMA = """\
{{ bos_token }}
{%- set system = messages[0].content + '\n\n' if messages[0].role == 'system' else '' -%}
{%- set turns = messages[1:] if system else messages -%}
{%- for message in turns -%}
  {%- if message.role not in ('user', 'assistant') -%}
    {{ raise_exception('this form of conversation has no turn of the role ' + message.role) }}
  {%- endif -%}
  {{ '<start_of_turn>' + ('model' if message.role == 'assistant' else 'user') + '\n' }}
  {{- (system if loop.first else '') + (message.content or '') | trim + '<end_of_turn>\n' }}
{%- endfor -%}
{{ '<start_of_turn>model\n' if add_generation_prompt else '' }}"""

_MISTRAL = """\
{{ bos_token }}
{%- set system = messages[0].content + '\n\n' if messages[0].role == 'system' else '' -%}
{%- set turns = messages[1:] if system else messages -%}
{%- for message in turns -%}
  {%- if message.role == 'user' -%}
    {{ '[INST] ' + (system if loop.last else '') + message.content + '[/INST]' }}
  {%- elif message.role == 'assistant' -%}
    {{ ' ' + (message.content or '') | trim + eos_token }}
  {%- else -%}
    {{ raise_exception('this form of conversation has no turn of the role ' + message.role) }}
  {%- endif -%}
{%- endfor -%}"""

_PHI3 = """\
{%- for message in messages -%}
  {%- if message.role not in ('system', 'user', 'assistant') -%}
    {{ raise_exception('this form of conversation has no turn of the role ' + message.role) }}
  {%- endif -%}
  {{ '<|' + message.role + '|>\n' + (message.content or '') + '<|end|>\n' }}
{%- endfor -%}
{{ '<|assistant|>\n' if add_generation_prompt else '' }}"""

# name -> (the tokens that the form needs, its template)
TEMPLATES = {
    "chatml": (("<|im_start|>", "<|im_end|>"), _CHATML),
    "llama3": (("<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"), _LLAMA3),
    "gemma": (("<start_of_turn>", "<end_of_turn>"), _GEMMA),
    "phi3": (("<|user|>", "<|assistant|>", "<|end|>"), _PHI3),
    "mistral": (("[INST]", "[/INST]"), _MISTRAL),
}
