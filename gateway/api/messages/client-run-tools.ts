import { asArray, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';

/**
 * Anthropic's tools that the client runs, as functions that every model can call: the name and the input are Anthropic's own, so that the
 * client's code for them works unchanged (https://platform.claude.com/docs/en/agents-and-tools/tool-use/bash-tool, text-editor-tool and
 * memory-tool, read 2026-11-27).
 */

const text = { type: 'string' };
const count = { type: 'integer' };
const range = { type: 'array', items: count, description: 'The first and the last line to view; -1 is the end.' };

const getSchema = (properties: JsonObject, required: readonly string[]): JsonObject => ({
  type: 'object',
  properties,
  required,
});

const commands = (...names: string[]): JsonObject => ({ type: 'string', enum: names });

const fileFields = {
  path: text,
  view_range: range,
  file_text: { ...text, description: 'The content of a file to create.' },
  old_str: { ...text, description: 'The text to replace, which must be in the file once.' },
  new_str: text,
  insert_line: { ...count, description: 'The line after which to insert; 0 is the beginning.' },
  insert_text: text,
};

interface Described {
  readonly description: string;
  readonly schema: JsonObject;
}

const editor = (...more: string[]): Described => ({
  description: 'Views, creates and edits text files, and lists folders.',
  schema: getSchema({ command: commands('view', 'create', 'str_replace', 'insert', ...more), ...fileFields }, [
    'command',
    'path',
  ]),
});

const known: readonly (readonly [type: RegExp, tool: Described])[] = [
  [
    /^bash_\d{8}$/,
    {
      description: 'Runs commands in a bash session that keeps its state.',
      schema: getSchema({ command: text, restart: { type: 'boolean', description: 'Starts a new session.' } }, []),
    },
  ],
  [/^text_editor_(?:20241022|20250124)$/, editor('undo_edit')],
  [/^text_editor_\d{8}$/, editor()],
  [
    /^memory_\d{8}$/,
    {
      description: 'Views, creates, edits, renames and deletes files of a memory below /memories.',
      schema: getSchema(
        {
          command: commands('view', 'create', 'str_replace', 'insert', 'delete', 'rename'),
          ...fileFields,
          old_path: text,
          new_path: text,
        },
        ['command'],
      ),
    },
  ],
];

const described = (tool: JsonObject): Described | undefined => {
  const type = asText(tool.type) ?? '';
  return known.find(([pattern]) => pattern.test(type))?.[1];
};

/** Whether a tool of Anthropic's runs on the client's machine. */
export const isClientRun = (tool: JsonObject): boolean => described(tool) !== undefined;

/** The body with functions in the place of such tools; the same one where it has none. */
export function withClientRunTools(body: JsonObject): JsonObject {
  const tools = asArray(body.tools).map(asObject);
  if (!tools.some(isClientRun)) return body;
  return {
    ...body,
    tools: tools.map((tool) => {
      const own = described(tool);
      if (!own) return tool;
      const { name, cache_control } = tool;
      return { name, description: own.description, input_schema: own.schema, cache_control };
    }),
  };
}
