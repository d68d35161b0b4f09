import { expect, test } from 'vitest';
import { claudeProgram, openForAgents, runAgent } from './agent-programs.ts';

/** Runs Claude Code unchanged, with the variables that its documentation gives for a gateway. */

const models = [
  ...['opus', 'openai/gpt-4.1', 'openai/gpt-5.5', 'openai/gpt-6-sol', 'anthropic/claude-sonnet-4-5'],
  ...['anthropic/claude-opus-5-5', 'google/gemini-3.8-flash', 'google/gemini-2.5-pro'],
];

test.each(models)('Claude Code creates, reads and edits a file with %s', async (model) => {
  const agents = await openForAgents();
  const parameters = ['-p', 'Do the task.', '--model', model, '--allowedTools', 'Bash'];
  const { code, output } = await runAgent([claudeProgram, ...parameters], {
    cwd: agents.work,
    env: {
      HOME: agents.home,
      ANTHROPIC_BASE_URL: agents.url,
      ANTHROPIC_AUTH_TOKEN: agents.key,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    },
  });
  expect(agents.refusals(), output).toEqual([]);
  expect(code, output).toBe(0);
  expect(agents.written()).toBe('two\n');
});
