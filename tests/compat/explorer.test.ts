import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allScopes } from '#gateway/access/auth/scopes.ts';
import { parseUsd } from '#shared/money.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import { type Listening, listen } from '../../gateway/http/listen.ts';
import { openGateway } from '../../gateway/open-gateway.ts';
import { hasBrowser, launchBrowser } from '../support/test-browser.ts';

/** Opens `/docs` in a browser with the page's own policy, and counts what the policy refuses. */
describe.skipIf(!hasBrowser('/docs in a browser is'))('the explorer', () => {
  let gateway: Gateway;
  let server: Listening;
  let browser: Browser;
  let key: string;
  beforeAll(async () => {
    gateway = await openGateway({ database: ':memory:', sandboxPace: 0 });
    server = await listen(gateway, { port: 0 });
    const account = await gateway.operator.createAccount({ name: 'A' });
    await gateway.operator.grant({ accountId: account.id, amount: parseUsd('1') });
    ({ key } = await gateway.operator.createKey({ accountId: account.id, scopes: allScopes }));
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
    await gateway.close();
  });

  async function open(): Promise<{ page: Page; problems: string[] }> {
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('favicon')) problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(server.url)) problems.push(`foreign: ${request.url()}`);
    });
    await page.goto(`${server.url}/docs`);
    return { page, problems };
  }

  test("sends the form's request with the key and shows the answer as it arrives", async () => {
    const { page, problems } = await open();
    await page.getByLabel('API key or token').fill(key);
    const chat = page.locator('#chat');
    await chat.locator('> summary').click();
    await chat.getByLabel('Body').fill('{"model": "sandbox/echo", "prompt": "<b>hello</b>", "stream": true}');
    await chat.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => chat.locator('.answer').textContent()).toContain('data: [DONE]');
    expect(await chat.locator('.answer b').count()).toBe(0);
    const models = page.locator('#retrieveModel');
    await models.locator('> summary').click();
    await models.getByLabel('model_id (required)').fill('sandbox/echo');
    await models.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => models.locator('.answer').textContent()).toContain('"id": "sandbox/echo"');
    expect(await models.getByRole('status').textContent()).toMatch(/^200 · \d+ ms · req_/);
    const records = page.locator('#listRequests');
    await records.locator('> summary').click();
    await records.getByLabel('limit').fill('1');
    await records.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => records.locator('.answer').textContent()).toContain('"model": "echo"');
    expect(problems).toEqual([]);
    expect(await page.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0);
    await page.close();
  });

  test('shows a request without a key as the error it gets', async () => {
    const { page } = await open();
    const account = page.locator('#account');
    await account.locator('> summary').click();
    await account.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => account.locator('.answer').textContent()).toContain('missing_credentials');
    expect(await account.getByRole('status').textContent()).toMatch(/^401/);
    await page.close();
  });
});
