import { expect, test } from 'vitest';
import { AppError } from '#shared/errors.ts';
import type { OfferedTool } from '../../request/request.ts';
import { openToolDecisions } from './tool-decisions.ts';

const tool = (change: Partial<OfferedTool> = {}): OfferedTool => ({
  wireName: 'f__read',
  title: 'Read',
  serverId: 's',
  serverName: 'F',
  tool: 'read',
  fingerprint: 'f1',
  description: '',
  inputSchema: {},
  readOnly: false,
  asks: true,
  ...change,
});
const ask = (
  more: { messageId: string; conversationId?: string; tool?: OfferedTool },
  abort = new AbortController(),
) => ({
  abort,
  decisions: { call: 0, conversationId: 'c1', tool: tool(), ...more },
});

test('a lasting decision releases the waiting calls that it covers, and no others', async () => {
  const decisions = openToolDecisions();
  const answers: string[] = [];
  const wait = (name: string, more: Parameters<typeof ask>[0]) => {
    const { decisions: asked, abort } = ask(more);
    return decisions.ask(asked, abort.signal).then((decision) => void answers.push(`${name} ${decision}`));
  };
  const all = [
    wait('asked', { messageId: 'm1' }),
    wait('same chat', { messageId: 'm2' }),
    wait('other chat', { messageId: 'm3', conversationId: 'c2' }),
    wait('changed server', { messageId: 'm4', tool: tool({ fingerprint: 'f2' }) }),
    wait('other tool', { messageId: 'm5', tool: tool({ tool: 'write' }) }),
  ];
  decisions.decide('m1', 0, 'chat');
  await Promise.all(all.slice(0, 2));
  expect(answers).toEqual(['asked chat', 'same chat once']);
  decisions.decide('m3', 0, 'always');
  await all[2];
  expect(answers).toHaveLength(3);
  for (const id of ['m4', 'm5']) decisions.decide(id, 0, 'deny');
  await Promise.all(all);
  expect(() => decisions.decide('m4', 0, 'once')).toThrow(expect.objectContaining({ code: 'not_found' }));
});

test('the end of an answer withdraws its open question', async () => {
  const decisions = openToolDecisions();
  const { decisions: asked, abort } = ask({ messageId: 'm1' });
  const reason = new AppError('cancelled', 'Stopped.');
  const waiting = decisions.ask(asked, abort.signal);
  abort.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  expect(() => decisions.decide('m1', 0, 'once')).toThrow();
  await expect(async () => decisions.ask(asked, abort.signal)).rejects.toBe(reason);
});
