/**
 * Functions in the place of tools that OpenAI describes to its models itself: their arguments are the `action` or `operation` of its items
 * (https://developers.openai.com/api/docs/guides/tools-shell, tools-apply-patch, tools-local-shell and tools-tool-search, read 2026-11-27).
 */

const text = { type: 'string' };
const count = { type: 'integer' };

export const localFunctions = {
  tool_search: {
    description: 'Finds further tools that can be called.',
    parameters: { type: 'object', properties: { query: text }, required: ['query'], additionalProperties: false },
  },
  local_shell: {
    description: "Runs one command on the user's machine, without a shell around it.",
    parameters: {
      type: 'object',
      properties: {
        command: { type: 'array', items: text, description: 'The program and its arguments.' },
        working_directory: text,
        timeout_ms: count,
        env: { type: 'object', additionalProperties: text, description: 'Environment variables.' },
      },
      required: ['command'],
      additionalProperties: false,
    },
  },
  shell: {
    description: "Runs commands in a shell on the user's machine and returns what each prints.",
    parameters: {
      type: 'object',
      properties: {
        commands: { type: 'array', items: text, description: 'Commands, which may run at the same time.' },
        timeout_ms: count,
        max_output_length: { ...count, description: 'Characters of output for each command.' },
      },
      required: ['commands'],
      additionalProperties: false,
    },
  },
  apply_patch: {
    description: 'Creates, updates or deletes one file.',
    parameters: {
      type: 'object',
      properties: {
        type: { type: 'string', enum: ['create_file', 'update_file', 'delete_file'] },
        path: text,
        diff: {
          ...text,
          description:
            'A V4A diff: hunks that begin with "@@", lines that begin with " " (kept), "-" (removed) or "+" (added). Of a new file every line begins with "+". Nothing for delete_file.',
        },
      },
      required: ['type', 'path'],
      additionalProperties: false,
    },
  },
} as const;
