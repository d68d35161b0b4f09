import type { Page } from '@playwright/test';
import { openHttpProxy } from '../support/proxies.ts';
import { openTlsUpstream } from '../support/tls-upstream.ts';
import { expectNoFaultInEither } from './accessibility.ts';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended } from './chat.ts';

const name = 'models.office.example';
const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const answer = event({ choices: [{ delta: { content: 'From behind the proxy.' }, finish_reason: 'stop' }] });
const counts = event({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 5 } });

async function openSection(page: Page, section: string) {
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: section }).click();
}

test('behind a company proxy that requires a password and decrypts TLS, the app is set up, tested and answered', async ({
  launch,
}) => {
  const upstream = await openTlsUpstream(name, (request, response) => {
    const lists = request.url?.endsWith('/models') ?? false;
    response.setHeader('content-type', lists ? 'application/json' : 'text/event-stream');
    response.end(lists ? '{"data":[{"id":"gpt-4o-mini"}]}' : `${answer}${counts}data: [DONE]\n\n`);
  });
  const proxy = await openHttpProxy({ hosts: { [name]: '127.0.0.1' }, user: 'me', password: 'proxy-canary' });
  const { page } = await launch({ env: { OPENAI_BASE_URL: `${upstream.origin}/v1` } });
  await openSection(page, 'Network');
  await expect(page.getByRole('heading', { name: 'Network' })).toBeVisible();
  const steps = page.getByRole('status').getByRole('list').getByRole('listitem');
  const testIt = page.getByRole('button', { name: 'Test', exact: true });
  await page.getByRole('button', { name: /^To:/ }).click();
  await page.getByRole('menuitem', { name: 'OpenAI' }).click();
  await testIt.click();
  await expect(steps.last()).toContainText('Its name is not known to this network.');

  await page.getByRole('button', { name: 'This one' }).press('Enter');
  await page.getByLabel('Address').fill('proxy without a port?');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('The proxy’s address is http://, https:// or socks5://')).toBeVisible();
  await expect(page.getByLabel('Address')).toHaveValue('proxy without a port?');
  await page.getByLabel('Address').fill(proxy.url.replace('me:proxy-canary@', ''));
  await page.getByLabel('User name').fill('me');
  await page.getByLabel('Password').fill('not this one');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved. It holds for every call from now on.')).toBeVisible();
  await testIt.click();
  await expect(steps.last()).toContainText('The proxy wants another user name and password.');

  await page.getByLabel('Password').fill('proxy-canary');
  await page.getByLabel('Password').press('Enter');
  await expect(page.getByLabel('Password')).toHaveValue('');
  await testIt.click();
  await expect(steps.last()).toContainText('Its certificate is not trusted.');
  await page.getByLabel('Certificates that are trusted, too').fill(upstream.authority);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved. It holds for every call from now on.')).toBeVisible();
  await testIt.click();
  await expect(page.getByText('It is reached.')).toBeVisible();
  await expect(steps).toHaveText([/Proxy.*http:\/\/127/, /Connection/, /Answer.*HTTP/]);
  await expectNoFaultInEither(page, 'network');
  expect(await page.content()).not.toContain('proxy-canary');

  await openSection(page, 'Providers & keys');
  const row = page.getByRole('listitem', { name: 'OpenAI', exact: true });
  await row.getByRole('button', { name: 'Add key' }).click();
  await row.getByLabel('API key').fill('sk-behind-the-proxy-aaaa');
  await page.keyboard.press('Enter');
  await expect(row).toContainText('Works');
  await page.getByRole('button', { name: 'New chat', exact: true }).click();
  await chooseModel(page, 'GPT-4o mini');
  await ask(page, 'Is anybody there?');
  await ended(articles(page).nth(1));
  await expect(articles(page).nth(1)).toContainText('From behind the proxy.');
  await upstream.close();
  await proxy.close();
});
