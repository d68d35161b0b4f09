import { describe, expect, test } from 'vitest';
import { closedSchema } from './closed-schema.ts';

const person = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, description: 'In full.' },
    tags: {
      type: 'array',
      minItems: 2,
      items: { type: 'object', properties: { minimum: { type: 'number', minimum: 0 } } },
    },
  },
};

describe('closedSchema', () => {
  test('closedSchema closes every object and moves unsupported keywords into the description', () => {
    expect(closedSchema(person)).toEqual({
      schema: {
        type: 'object',
        additionalProperties: false,
        properties: {
          name: { type: 'string', description: 'In full. (minLength: 1)' },
          tags: {
            type: 'array',
            description: '(minItems: 2)',
            items: {
              type: 'object',
              additionalProperties: false,
              properties: { minimum: { type: 'number', description: '(minimum: 0)' } },
            },
          },
        },
      },
      changed: expect.arrayContaining(['additionalProperties', 'minLength', 'minItems', 'minimum']),
    });
  });

  test('closedSchema leaves a schema unchanged when it is already closed', () => {
    const closed = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/b' } },
      additionalProperties: false,
      $defs: { b: { type: 'string' } },
    };
    expect(closedSchema(closed)).toEqual({ schema: closed, changed: [] });
  });

  test.each([
    ['open on purpose', { type: 'object', additionalProperties: { type: 'string' } }],
    ['open further down', { type: 'object', properties: { a: { type: 'object', additionalProperties: true } } }],
    [
      'recursive',
      { $ref: '#/$defs/node', $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } } },
    ],
    ['a reference to itself', { type: 'object', properties: { child: { $ref: '#' } } }],
  ])('closedSchema returns null for a schema that is %s', (_what, schema) => {
    expect(closedSchema(schema)).toBeNull();
  });

  test('closedSchema returns at once when definitions refer to each other many times', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => {
        const next = { $ref: `#/$defs/d${index + 1}` };
        return [`d${index}`, { type: 'object', additionalProperties: false, properties: { a: next, b: next } }];
      }),
    );
    const schema = { $ref: '#/$defs/d0', $defs: { ...$defs, d30: { type: 'string' } } };
    expect(closedSchema(schema)?.changed).toEqual([]);
  });
});
