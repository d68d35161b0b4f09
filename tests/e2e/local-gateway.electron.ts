import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import OpenAI from 'openai';
import { parseUsd } from '#shared/money.ts';
import { freePort } from '../support/free-port.ts';
import { startUpstream } from '../support/upstream.ts';
import { expect, test } from './app.ts';
import { amountIn } from './money.ts';

const cli = fileURLToPath(new URL('../../dist/gateway/cli.js', import.meta.url));
const messages = [{ role: 'user' as const, content: 'How many columns?' }];

test('the openai SDK and curl chat with the embedded gateway, with keys from the window and from the command line', async ({
  launch,
}) => {
  const upstream = await startUpstream();
  const { page, dataFolder } = await launch({ env: upstream.env });
  const url = await openDoor(await freePort());
  const db = join(dataFolder, 'gateway.db');
  const account = gateway('account', 'list', '--db', db)
    .split('\n')
    .find((line) => line.includes('Your keys'));
  const apiKey = lastLine(gateway('key', 'create', /acct_\w+/.exec(account ?? '')?.[0] ?? '', '--db', db));
  expect(apiKey).toHaveLength(56);

  await page.getByRole('button', { name: 'Make a key' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Editor');
  await page.getByLabel('Limit').fill('2.50');
  await page.getByRole('button', { name: 'Make key' }).click();
  const shown = page.getByRole('dialog').locator('code');
  await expect(shown).toHaveText(/^sk-\S{40,}$/);
  const editorKey = (await shown.textContent()) ?? '';
  await page.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  expect(await page.content()).not.toContain(editorKey);

  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: editorKey, maxRetries: 0 });
  const costs: bigint[] = [];
  for (const model of ['openai/gpt-5', 'anthropic/claude-sonnet-5', 'google/gemini-2.5-flash']) {
    const nonStreaming = await client.chat.completions.create({ model, messages });
    expect(nonStreaming.choices[0]?.message.content).toBe(upstream.answer);
    costs.push(getCost(nonStreaming.usage));
    let text = '';
    for await (const chunk of await client.chat.completions.create({ model, messages, stream: true })) {
      text += chunk.choices[0]?.delta.content ?? '';
      if (chunk.usage) costs.push(getCost(chunk.usage));
    }
    expect(text).toBe(upstream.answer);
  }
  const curl = async (stream: boolean) => {
    const body = JSON.stringify({ prompt: 'How many columns?', model: 'openai/gpt-5', stream });
    const headers = ['-H', `Authorization: Bearer ${apiKey}`, '-H', 'Content-Type: application/json'];
    return (await promisify(execFile)('curl', ['-sSN', `${url}/chat`, ...headers, '-d', body])).stdout;
  };
  const answer = JSON.parse(await curl(false)) as { text: string; cost_usd: string };
  expect(answer.text).toBe(upstream.answer);
  costs.push(parseUsd(answer.cost_usd));
  const streamed = await curl(true);
  expect(streamed).toMatch(/data: \[DONE\]\s*$/);
  costs.push(parseUsd(/"cost_usd":"([\d.]+)"/.exec(streamed)?.[1] ?? ''));
  expect(costs).toHaveLength(8);

  // What other programs spent appears without a refresh.
  await page.getByRole('link', { name: 'Credits' }).click();
  const rows = page.getByRole('row').filter({ hasText: 'by another program' });
  await expect(rows).toHaveCount(8);
  const another = await client.chat.completions.create({ model: 'openai/gpt-5', messages });
  costs.push(getCost(another.usage));
  await expect(rows).toHaveCount(9);
  const booked = await Promise.all((await rows.all()).map(amountIn));
  expect(booked.reverse()).toEqual(costs.map((cost) => -cost));

  await openGatewaySettings();
  await expect(page.getByText(/Your keys · \$0\.0\d+ of \$2\.50 spent/)).toBeVisible();
  await page.getByRole('button', { name: 'Change Editor' }).click();
  await page.getByRole('menuitem', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  // Controls below an open dialog aren't found by their roles, so it has to be gone first.
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Change Editor' })).toHaveCount(0);
  await expect(client.models.list()).rejects.toMatchObject({ status: 401 });

  await upstream.stop();

  async function openGatewaySettings(): Promise<void> {
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page
      .getByRole('link', { name: 'Gateway' })
      .or(page.getByRole('button', { name: 'Gateway' }))
      .first()
      .click();
  }

  async function openDoor(port: number): Promise<string> {
    await openGatewaySettings();
    await page.getByLabel('Port').fill(String(port));
    await page.getByRole('button', { name: 'Set port' }).click();
    await expect(page.getByText(`http://127.0.0.1:${port}`).first()).toBeVisible();
    return `http://127.0.0.1:${port}`;
  }
});

const gateway = (...words: string[]): string => execFileSync(process.execPath, [cli, ...words], { encoding: 'utf8' });
const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';
const getCost = (usage: unknown): bigint => parseUsd((usage as { cost_usd: string }).cost_usd);
