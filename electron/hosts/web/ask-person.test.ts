import { expect, test } from 'vitest';
import type { Question } from '#core/runtime/host/ask-person.ts';
import { visibleLines } from '#shared/visible.ts';
import { askOnPage } from './ask-person.ts';

const question: Question = {
  title: 'Start this program?',
  advice: 'Only if you know it.',
  facts: [{ label: 'Program', lines: visibleLines(['<img/src=x>', '"&amp;"']) }],
  yes: 'Start it',
  no: 'No',
  language: 'en',
};

/** Opens a question. Returns the link that the terminal shows. */
async function open({ signal = new AbortController().signal, asked = question } = {}) {
  let time = 0;
  let hidden = 0;
  const shown = Promise.withResolvers<string>();
  const answer = askOnPage(asked, signal, {
    elapsed: () => time,
    show(_title, link) {
      shown.resolve(link);
      return () => {
        hidden += 1;
      };
    },
  });
  const link = await shown.promise;
  const { origin } = new URL(link);
  const post = (body: string, headers: Record<string, string> = { origin }, to = link) =>
    fetch(to, { method: 'POST', body, headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers } });
  const pass = (ms: number) => {
    time += ms;
  };
  return { link, origin, answer, post, pass, hidden: () => hidden };
}

test('the question is a page of its own origin that runs nothing, loads nothing and cannot be framed', async () => {
  const { link, answer, post } = await open();
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}$/);
  const page = await fetch(link);
  const policy = page.headers.get('content-security-policy');
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'self'; frame-/);
  expect(policy).toContain("frame-ancestors 'none'");
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(page.headers.get('cross-origin-resource-policy')).toBe('same-origin');
  const html = await page.text();
  expect(html).toContain('Start this program?');
  expect(html).not.toContain('<img');
  await post('answer=no');
  expect(await answer).toBe(false);
});

test('a yes is accepted only after the reading time, and closes the page', async () => {
  const { link, answer, post, pass, hidden } = await open();
  expect((await post('answer=yes')).status).toBe(409);
  await fetch(link);
  expect((await post('answer=yes')).status).toBe(409);
  pass(999);
  // Loading the page again doesn't restart the reading time.
  await fetch(link);
  expect((await post('answer=yes')).status).toBe(409);
  pass(1);
  expect((await post('answer=yes')).status).toBe(200);
  expect(await answer).toBe(true);
  expect(hidden()).toBe(1);
  await expect(fetch(link)).rejects.toThrow();
});

test('an answer without the link’s secret, or from another page, is refused', async () => {
  const leave = new AbortController();
  const { link, origin, answer, post, pass } = await open(leave);
  await fetch(link);
  pass(5_000);
  const guessed = `${origin}/${'A'.repeat(43)}`;
  expect((await fetch(guessed)).status).toBe(404);
  expect((await fetch(`${link}/`)).status).toBe(404);
  expect((await post('answer=yes', { origin }, guessed)).status).toBe(404);
  for (const headers of [{}, { origin: 'null' }, { origin: 'http://127.0.0.1:9' }, { origin: 'app://portico' }])
    expect((await post('answer=yes', headers as Record<string, string>)).status).toBe(403);
  expect((await post('answer=yes', { origin, 'sec-fetch-site': 'same-site' })).status).toBe(403);
  expect((await fetch(link, { headers: { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' } })).status).toBe(
    403,
  );
  expect((await fetch(link, { method: 'PUT' })).status).toBe(405);
  for (const body of ['', 'answer=maybe', `answer=yes&${'x'.repeat(100)}`]) expect((await post(body)).status).toBe(400);
  leave.abort();
  expect(await answer).toBe(false);
  await expect(fetch(link)).rejects.toThrow();
});

test('a question that was aborted before is not asked', async () => {
  const { answer } = await open({ signal: AbortSignal.abort() });
  expect(await answer).toBe(false);
});

test('the page is in the language of its question, also after the answer', async () => {
  const { link, origin, answer, post } = await open({ asked: { ...question, no: '⟦Ñö⟧', language: 'en-XA' } });
  const page = await (await fetch(link)).text();
  expect(page).toContain('<html lang="en-XA">');
  expect(page).toContain('>⟦Ñö⟧</button>');
  const getText = async (response: Response) => (await response.text()).match(/<(h1|p)>.*?<\/\1>/g)?.join('');
  expect(await getText(await fetch(`${origin}/elsewhere`))).toMatch(/^<h1>⟦.+⟧<\/h1><p>⟦.+⟧<\/p>$/);
  expect(await getText(await post('answer=no'))).toMatch(/^<h1>⟦.+⟧<\/h1><p>⟦.+⟧<\/p>$/);
  expect(await answer).toBe(false);
});
