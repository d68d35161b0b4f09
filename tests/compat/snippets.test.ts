import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import type { OwnGateway } from '../../gateway/gateway.ts';
import { type Listening, listen } from '../../gateway/http/listen.ts';
import { openGateway } from '../../gateway/open-gateway.ts';
import { getSnippet, type SnippetKind, snippetKinds } from '../../renderer/features/gateways/keys/snippets.tsx';

/** Tests that the code that the app offers to copy runs unchanged. */

const call = promisify(execFile);
let gateway: OwnGateway;
let server: Listening;
let key: string;
/** A folder inside the repository, because `openai` has to be found there. */
let folder: string;

beforeAll(async () => {
  gateway = await openGateway({ database: ':memory:', sandboxPace: 0 });
  server = await listen(gateway, { port: 0 });
  const { id: accountId } = await gateway.operator.createAccount({ name: 'Copied', plan: 'sandbox' });
  await gateway.operator.grant({ accountId, amount: parseUsd('1') });
  ({ key } = await gateway.operator.createKey({ accountId }));
  folder = await mkdtemp(join(fileURLToPath(new URL('../..', import.meta.url)), '.cache', 'snippets-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await server.close();
  await gateway.close();
});

const run: Partial<Record<SnippetKind, (text: string, env: NodeJS.ProcessEnv) => Promise<{ stdout: string }>>> = {
  curl: (text, env) => call('bash', ['-c', text], { env }),
  async typescript(text, env) {
    const file = join(folder, 'copied.ts');
    await writeFile(file, text);
    return call(process.execPath, [file], { env });
  },
};

test.each(['curl', 'typescript'] as const)(
  '%s: with the key in the code, and with the key in a variable',
  async (kind) => {
    for (const [given, env] of [
      [key, process.env],
      [null, { ...process.env, PORTICO_KEY: key }],
    ] as const) {
      const { stdout } = (await run[kind]?.(getSnippet(kind, { baseUrl: `${server.url}/v1`, key: given }), env)) ?? {};
      const text = kind === 'curl' ? JSON.parse(stdout ?? '').choices[0].message.content : stdout;
      expect(text).toMatch(/\w{3}/);
    }
  },
);

test("every snippet gets an address with /v1, however it was entered, except Anthropic's, which adds it itself", () => {
  for (const kind of snippetKinds) {
    const forms = ['', '/', '/v1', '/v1/'].map((end) => getSnippet(kind, { baseUrl: `https://gw.example${end}`, key }));
    expect(new Set(forms).size).toBe(1);
    expect(forms[0]).toContain('https://gw.example/v1');
    expect(forms[0]).toContain(key);
  }
  const lines = getSnippet('environment', { baseUrl: 'https://gw.example/v1', key: null }).split('\n');
  expect(lines).toContain("export ANTHROPIC_BASE_URL='https://gw.example'");
});
