import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Secret } from '../../auth/secret.ts';
import { buildCatalogue } from '../../catalogue/build-catalogue.ts';
import type { CatalogueModel } from '../../catalogue/catalogue.ts';
import { type ChatBench, openChatBench } from '../chat-bench.ts';
import { ordinaryFeatures } from './ordinary-features.ts';
import { openVendorDouble } from './vendor-double.ts';

/** Every model of the catalogue × every ordinary feature: no vendor refuses what the gateway sends it. */

const { models } = buildCatalogue('2026-11-22', []);
const vendors = openVendorDouble();
let bench: ChatBench;

beforeAll(async () => {
  const apiKey = new Secret('platform-key');
  bench = await openChatBench({
    models,
    plan: 'enterprise',
    balance: '100000',
    providers: {
      openai: { apiKey, baseUrl: 'https://openai.example/v1' },
      anthropic: { apiKey, baseUrl: 'https://anthropic.example' },
      google: { apiKey, baseUrl: 'https://google.example' },
    },
    fetch: vendors.send,
  });
});
afterAll(() => bench.close());

const ask = async (model: CatalogueModel, body: object) => {
  const before = vendors.calls.length;
  const answer = await bench.post('/v1/chat/completions', { model: model.id, ...body });
  return { status: answer.status, text: await answer.text(), calls: vendors.calls.slice(before) };
};

describe.each(models.map((model) => [model.id, model] as const))('%s', (_id, model) => {
  test('answers what it claims, and is not asked for what it does not', async () => {
    const refused: object[] = [];
    for (const feature of ordinaryFeatures) {
      const claims = feature.needs.every((name) => model.capabilities.includes(name));
      const { status, text, calls } = await ask(model, feature.body(model));
      const refusals = calls.flatMap(({ refusal }) => refusal?.message ?? []);
      const asExpected = claims ? status === 200 && refusals.length === 0 : status === 400 && calls.length === 0;
      if (!asExpected) refused.push({ feature: feature.name, claims, status, refusals, text: text.slice(0, 300) });
    }
    expect(refused).toEqual([]);
  });
});
