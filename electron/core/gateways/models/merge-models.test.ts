import { expect, test } from 'vitest';
import { type Model, model } from '#shared/wire/model.ts';
import { mergeModels } from './merge-models.ts';

const listed = (id: string, more: Partial<Model> = {}): Model =>
  model.parse({
    id,
    object: 'model',
    created: 0,
    owned_by: 'a',
    provider: 'a',
    model: id,
    name: id,
    description: null,
    kind: 'chat',
    status: 'available',
    unavailable_reason: null,
    context_length: null,
    max_output_tokens: null,
    architecture: { input_modalities: ['text'], output_modalities: ['text'] },
    capabilities: [],
    supported_parameters: [],
    pricing: null,
    limits: { max_images: 0, max_request_bytes: 0 },
    quality: null,
    deprecation_date: null,
    shutdown_date: null,
    aliases: [],
    simulated: false,
    ...more,
  });

test('a model seen by several keys is listed once, with its best status', () => {
  const merged = mergeModels([[listed('a', { status: 'plan_required' })], [listed('a'), listed('b')]]);
  expect(merged.map(({ id, status }) => [id, status])).toEqual([
    ['a', 'available'],
    ['b', 'available'],
  ]);
});

test('embedding models are not listed for chats', () => {
  expect(mergeModels([[listed('a'), listed('vectors', { kind: 'embedding' })]]).map(({ id }) => id)).toEqual(['a']);
});
