import { expect, test } from 'vitest';
import { lostTheThread, thoughtThrough } from '../gateway-doubles/vendors/tool-loops.ts';
import { codexProgram, openForAgents, runAgent } from './agent-programs.ts';

/** Runs Codex CLI unchanged, with the settings that its documentation gives for a custom provider. */

const models = [
  ...['openai/gpt-4.1', 'openai/gpt-5.5', 'openai/gpt-6-sol', 'anthropic/claude-sonnet-4-5'],
  ...['anthropic/claude-opus-5-5', 'google/gemini-3.8-flash', 'google/gemini-2.5-pro'],
];

test.each(models)('Codex creates, reads and edits a file with %s', async (model) => {
  const agents = await openForAgents();
  agents.setting(
    'config.toml',
    [
      `model = "${model}"`,
      'model_provider = "portico"',
      '[model_providers.portico]',
      'name = "Portico"',
      `base_url = "${agents.url}/v1"`,
      'env_key = "PORTICO_KEY"',
      'wire_api = "responses"',
    ].join('\n'),
  );
  const parameters = ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', 'Do the task.'];
  const { code, output } = await runAgent([process.execPath, codexProgram, ...parameters], {
    cwd: agents.work,
    env: { CODEX_HOME: agents.home, HOME: agents.home, PORTICO_KEY: agents.key },
  });
  expect(agents.refusals(), output).toEqual([]);
  expect(code, output).toBe(0);
  // Codex requests no reasoning from this model, so none comes back.
  expect(output).toContain(model.endsWith('claude-sonnet-4-5') ? lostTheThread : thoughtThrough);
  expect(agents.written()).toBe('two\n');
});
