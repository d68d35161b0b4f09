import { describe, expect, test } from 'vitest';
import { AppError } from '#shared/errors.ts';
import { createHealth } from './health.ts';

const failure = new AppError('upstream_error', 'x');

/** Each failure is of another account than the one before, so the model is avoided for all accounts. */
function healthAt() {
  let time = 1_000_000;
  const health = createHealth(() => time);
  const pass = (ms: number) => {
    time += ms;
  };
  const fail = (times: number) => {
    for (let index = 0; index < times; index += 1) health.failed('m', index % 2 ? 'ada' : 'bob', failure);
  };
  return { health, pass, fail };
}
const quick = { firstTokenMs: 100, tokensPerSecond: 50 };

describe('the circuit', () => {
  test('opens after five samples of which half failed, and not before', () => {
    const { health, fail } = healthAt();
    health.succeeded('m', 'ada', quick);
    health.succeeded('m', 'ada', quick);
    fail(2);
    expect(health.of('m')).toMatchObject({ circuit: 'closed', errorRate: 0.5 });
    fail(1);
    expect(health.of('m').circuit).toBe('open');
  });

  test('lets one probe through after half a minute, and closes when it succeeds', () => {
    const { health, pass, fail } = healthAt();
    fail(5);
    pass(30_000);
    expect(health.of('m').circuit).toBe('half_open');
    health.begin('m', 'ada');
    expect(health.of('m').circuit).toBe('open');
    health.succeeded('m', 'ada', quick);
    expect(health.of('m')).toMatchObject({ circuit: 'closed', errorRate: 0 });
  });

  test('stays open twice as long after each failed probe, at most five minutes', () => {
    const { health, pass, fail } = healthAt();
    fail(5);
    for (const openMs of [30_000, 60_000, 120_000, 240_000, 300_000, 300_000]) {
      pass(openMs - 1);
      expect(health.of('m').circuit).toBe('open');
      pass(1);
      expect(health.of('m').circuit).toBe('half_open');
      health.begin('m', 'ada');
      fail(1);
    }
  });

  test('gives an abandoned probe to the next request', () => {
    const { health, pass, fail } = healthAt();
    fail(5);
    pass(30_000);
    health.begin('m', 'ada');
    health.abandoned('m', 'ada');
    expect(health.of('m').circuit).toBe('half_open');
  });

  test('forgets failures after a minute', () => {
    const { health, pass, fail } = healthAt();
    fail(4);
    pass(60_001);
    fail(2);
    expect(health.of('m')).toMatchObject({ circuit: 'closed', errorRate: 1 });
  });
});

describe('a model that fails for one account', () => {
  const failFor = (health: ReturnType<typeof createHealth>, account: string, times: number) => {
    for (let index = 0; index < times; index += 1) health.failed('m', account, failure);
  };

  test('is avoided for that account and for no other, however often it fails', () => {
    const reported: string[] = [];
    let time = 1_000_000;
    const health = createHealth(
      () => time,
      (id) => reported.push(id),
    );
    for (let round = 0; round < 50; round += 1) {
      failFor(health, 'mallory', 6);
      expect(health.of('m', 'mallory').circuit).toBe('open');
      expect(health.of('m', 'ada')).toMatchObject({ circuit: 'closed', errorRate: 0 });
      expect(health.of('m')).toMatchObject({ circuit: 'closed', errorRate: 0 });
      time += 300_000;
      health.begin('m', 'mallory');
    }
    expect(reported).toEqual([]);
  });

  test('is asked again by a probe of that account, and used again when the probe succeeds', () => {
    const { health, pass } = healthAt();
    failFor(health, 'ada', 5);
    pass(30_000);
    expect(health.of('m', 'ada').circuit).toBe('half_open');
    health.begin('m', 'ada');
    expect(health.of('m', 'ada').circuit).toBe('open');
    health.succeeded('m', 'ada', quick);
    expect(health.of('m', 'ada')).toMatchObject({ circuit: 'closed' });
  });

  test('is avoided for all accounts once it fails for a second one', () => {
    const { health } = healthAt();
    failFor(health, 'ada', 5);
    failFor(health, 'bob', 1);
    expect(health.of('m', 'carol')).toMatchObject({ circuit: 'open', errorRate: 1 });
  });
});

test('a rate limit cools a model down for as long as the provider asks, or ten seconds', () => {
  const { health, pass } = healthAt();
  health.failed('m', 'ada', new AppError('upstream_rate_limited', 'x', { retryAfterMs: 3_000 }));
  expect(health.of('m').coolingDown).toBe(true);
  pass(3_000);
  expect(health.of('m').coolingDown).toBe(false);
  health.failed('m', 'ada', new AppError('upstream_rate_limited', 'x'));
  pass(9_999);
  expect(health.of('m').coolingDown).toBe(true);
});

test('speed counts from the fifth measurement on', () => {
  const { health } = healthAt();
  for (let index = 0; index < 4; index += 1) health.succeeded('m', 'ada', quick);
  expect(health.of('m').measured).toBeNull();
  health.succeeded('m', 'ada', quick);
  expect(health.of('m').measured).toEqual(quick);
});
