import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ToolServer } from '#shared/contract/app/tools.ts';
import { getDraft, secretProblem, transportIn } from './server-draft.ts';

const server = (transport: ToolServer['transport']): ToolServer => ({
  id: 's',
  name: 'S',
  transport,
  enabled: false,
  allowed: true,
  state: 'off',
  problem: null,
  tools: [],
  fingerprint: 'f',
  changed: false,
});

test('saving an unchanged server keeps its command, arguments and variables exactly', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.uniqueArray(fc.stringMatching(/^[A-Z_]{1,8}$/)), (args, variables) => {
      const before = server({ type: 'stdio', command: 'run', args, folder: null, variables });
      const unchanged = Object.fromEntries(variables.map((name) => [name, '']));
      expect(transportIn(getDraft(before), before)).toEqual({
        type: 'stdio',
        command: 'run',
        args,
        folder: null,
        variables: unchanged,
      });
    }),
  );
});

test('header names ignore case, but variable names don’t', () => {
  const rows = ['Token', 'token'].map((name, key) => ({ key, name, value: 'x', isSaved: false }));
  const draft = { ...getDraft(null), url: 'https://tools.test', command: 'run', secrets: { http: rows, stdio: rows } };
  const [, second] = rows;
  if (!second) throw new Error('There are two rows');
  expect(secretProblem({ ...draft, type: 'http' }, second)).toBe('twice');
  expect(transportIn({ ...draft, type: 'http' }, null)).toBeNull();
  expect(transportIn({ ...draft, type: 'stdio' }, null)).toMatchObject({ variables: { Token: 'x', token: 'x' } });
});
