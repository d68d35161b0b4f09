import { createHmac, createPublicKey, createSign, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  base64url,
  type Json,
  openTokenBench,
  rs256,
  type TokenBench,
} from '../../../tests/gateway-doubles/token-bench.ts';
import { figure } from '../../../tests/support/figures.ts';
import { openKey } from './sealed-key.ts';
import { publishedKeys } from './signing-keys.ts';

let bench: TokenBench;
beforeAll(async () => {
  bench = await openTokenBench();
});
afterAll(() => bench.close());

const verdict = async (token: string, scheme = 'Bearer', index = bench): Promise<string> => {
  try {
    await index.authorizer().authenticate(`${scheme} ${token}`);
    return 'accepted';
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
};

const without = (object: Json, name: string) =>
  Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));

/** Signs with the real key, so the one claim that is wrong decides. */
const withClaims = (change: Json) => bench.signed(bench.header, { ...bench.claims, ...change });
const withHeader = (change: Json) => bench.signed({ ...bench.header, ...change }, bench.claims);

test('a token from the operator is accepted with its scopes, user and account', async () => {
  const { token, expiresAt } = await bench.issue();
  const principal = await bench.authorizer().authenticate(`Bearer ${token}`);
  expect(principal).toMatchObject({
    accountId: bench.account.id,
    userId: bench.user.id,
    credential: { type: 'jwt', id: null, label: 'Ada', scopes: ['chat', 'models'], expiresAt },
  });
});

test.each([
  ['an audience among several', () => withClaims({ aud: ['other', '127.0.0.1'] })],
  ['claims that nobody here knows', () => withClaims({ role: 'x', nonce: 1 })],
  ['no scope at all', () => withClaims({ scope: [] })],
  ['scopes that nobody here knows', () => withClaims({ scope: ['chat', 'admin'] })],
  ['a lifetime of 24 hours', () => withClaims({ exp: bench.seconds + 86_400 })],
  ['a clock that is 30 seconds ahead', () => withClaims({ iat: bench.seconds + 30, exp: bench.seconds + 90 })],
  ['an expiry 29 seconds ago', () => withClaims({ iat: bench.seconds - 900, exp: bench.seconds - 29 })],
])('a token with %s is accepted', async (_what, token) => {
  expect(await verdict(token())).toBe('accepted');
});

test('unknown scopes grant nothing', async () => {
  const token = withClaims({ scope: ['admin', 'chat', 'chat '] });
  expect((await bench.authorizer().authenticate(`Bearer ${token}`)).credential.scopes).toEqual(['chat']);
});

describe('a forged token', () => {
  const hmac = (hash: string, secret: string | Buffer) => (input: string) =>
    createHmac(hash, secret).update(input).digest('base64url');
  const publicPem = () => createPublicKey(bench.key).export({ type: 'spki', format: 'pem' });
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const otherJwk = other.publicKey.export({ format: 'jwk' });
  const byOther = (input: string) => rs256(input, other.privateKey);

  const forged: Record<string, () => string> = {
    'alg none without a signature part': () =>
      `${bench.signed({ ...bench.header, alg: 'none' }, bench.claims, () => '')}`,
    'alg none with a signature': () => withHeader({ alg: 'none' }),
    'alg NONE': () => withHeader({ alg: 'NONE' }),
    'alg nOnE': () => withHeader({ alg: 'nOnE' }),
    'alg empty': () => withHeader({ alg: '' }),
    'alg null': () => withHeader({ alg: null }),
    'alg missing': () => bench.signed(without(bench.header, 'alg'), bench.claims),
    'alg as an array': () => withHeader({ alg: ['RS256'] }),
    'alg rs256 in small letters': () => withHeader({ alg: 'rs256' }),
    'alg RS384': () => withHeader({ alg: 'RS384' }),
    'alg RS512 honestly signed': () =>
      bench.signed({ ...bench.header, alg: 'RS512' }, bench.claims, (input) =>
        createSign('RSA-SHA512').update(input).sign(bench.key, 'base64url'),
      ),
    'alg PS256': () => withHeader({ alg: 'PS256' }),
    'alg ES256': () => withHeader({ alg: 'ES256' }),
    'alg EdDSA': () => withHeader({ alg: 'EdDSA' }),
    'HS256 with the public key as the secret': () =>
      bench.signed({ ...bench.header, alg: 'HS256' }, bench.claims, hmac('sha256', publicPem())),
    'HS256 with the modulus as the secret': () =>
      bench.signed(
        { ...bench.header, alg: 'HS256' },
        bench.claims,
        hmac('sha256', String(createPublicKey(bench.key).export({ format: 'jwk' }).n)),
      ),
    'HS256 with an empty secret': () =>
      bench.signed({ ...bench.header, alg: 'HS256' }, bench.claims, hmac('sha256', '')),
    'HS512 with the kid as the secret': () =>
      bench.signed({ ...bench.header, alg: 'HS512' }, bench.claims, hmac('sha512', bench.kid)),
    'an HMAC under alg RS256': () => bench.signed(bench.header, bench.claims, hmac('sha256', publicPem())),
    'typ missing': () => bench.signed(without(bench.header, 'typ'), bench.claims),
    'typ at+jwt': () => withHeader({ typ: 'at+jwt' }),
    'typ jwt in small letters': () => withHeader({ typ: 'jwt' }),
    'typ application/jwt': () => withHeader({ typ: 'application/jwt' }),
    'kid missing while two keys are published': () => bench.signed(without(bench.header, 'kid'), bench.claims),
    'kid unknown': () => withHeader({ kid: 'x'.repeat(43) }),
    'kid empty': () => withHeader({ kid: '' }),
    'kid as a number': () => withHeader({ kid: 1 }),
    'kid as a path': () => withHeader({ kid: '../../dev/null' }),
    'kid as SQL': () => withHeader({ kid: "' OR 1=1 --" }),
    'kid __proto__': () => withHeader({ kid: '__proto__' }),
    'a key of the forger': () => bench.signed(bench.header, bench.claims, byOther),
    'a weak key of the forger': () =>
      bench.signed(bench.header, bench.claims, (input) => rs256(input, weak.privateKey)),
    'a key inside the token (jwk)': () => bench.signed({ ...bench.header, jwk: otherJwk }, bench.claims, byOther),
    'an address of a key inside the token (jku)': () =>
      bench.signed({ ...bench.header, jku: 'https://evil.example/jwks.json' }, bench.claims, byOther),
    x5u: () => bench.signed({ ...bench.header, x5u: 'https://evil.example/x.pem' }, bench.claims, byOther),
    x5c: () => bench.signed({ ...bench.header, x5c: ['AAAA'] }, bench.claims, byOther),
    crit: () => withHeader({ crit: ['exp'], exp: 1 }),
    'an unencoded payload (b64)': () => withHeader({ b64: false, crit: ['b64'] }),
    zip: () => withHeader({ zip: 'DEF' }),
    'a signature of zeros': () => bench.signed(bench.header, bench.claims, () => base64url(Buffer.alloc(256))),
    'a signature of one byte': () => bench.signed(bench.header, bench.claims, () => base64url(Buffer.alloc(1))),
    'the signature of another token': () => {
      const [, , signature] = withClaims({ sub: 'usr_other' }).split('.');
      return bench.signed(bench.header, bench.claims, () => signature ?? '');
    },
    'a header that is no JSON': () => bench.signed('{', bench.claims),
    'a header that is an array': () => bench.signed('[]', bench.claims),
    'a payload that is no JSON': () => bench.signed(bench.header, 'sub=1'),
    'a payload that is null': () => bench.signed(bench.header, 'null'),
    'a payload that is an array': () => bench.signed(bench.header, '[]'),
    'a wrong issuer': () => withClaims({ iss: 'portico ' }),
    'an issuer in an array': () => withClaims({ iss: ['portico'] }),
    'a wrong audience': () => withClaims({ aud: 'localhost' }),
    'an empty list of audiences': () => withClaims({ aud: [] }),
    'an audience that only begins right': () => withClaims({ aud: '127.0.0.1.evil.example' }),
    'audiences with a number among them': () => withClaims({ aud: ['127.0.0.1', 1] }),
    'an audience object': () => withClaims({ aud: { 0: '127.0.0.1' } }),
    'exp as text': () => withClaims({ exp: String(bench.seconds + 900) }),
    'exp as a float': () => withClaims({ exp: bench.seconds + 900.5 }),
    'exp huge': () => bench.signed(bench.header, JSON.stringify(bench.claims).replace(/"exp":\d+/, '"exp":1e308')),
    'exp infinite': () => bench.signed(bench.header, JSON.stringify(bench.claims).replace(/"exp":\d+/, '"exp":1e999')),
    'exp beyond exact integers': () => withClaims({ exp: 2 ** 53 }),
    'exp null': () => withClaims({ exp: null }),
    'exp in milliseconds': () => withClaims({ exp: (bench.seconds + 900) * 1000 }),
    'a lifetime of 24 hours and a second': () => withClaims({ exp: bench.seconds + 86_401 }),
    'exp at iat': () => withClaims({ exp: bench.seconds }),
    'exp before iat': () => withClaims({ iat: bench.seconds + 20, exp: bench.seconds + 10 }),
    'iat as text': () => withClaims({ iat: String(bench.seconds) }),
    'iat as a float': () => withClaims({ iat: bench.seconds - 0.5 }),
    'iat negative': () => withClaims({ iat: -1 }),
    'iat 31 seconds ahead': () => withClaims({ iat: bench.seconds + 31 }),
    'nbf in the future': () => withClaims({ nbf: bench.seconds + 60 }),
    'nbf as text': () => withClaims({ nbf: '0' }),
    'scope as text': () => withClaims({ scope: 'chat models' }),
    'scope with a number': () => withClaims({ scope: ['chat', 1] }),
    'scope as an object': () => withClaims({ scope: { 0: 'chat' } }),
    'scope null': () => withClaims({ scope: null }),
    'sub of nobody': () => withClaims({ sub: 'usr_00000000000000000000000000' }),
    'sub empty': () => withClaims({ sub: '' }),
    'sub as a number': () => withClaims({ sub: 1 }),
    'sub as a list': () => withClaims({ sub: [bench.user.id] }),
    'sub as an account': () => withClaims({ sub: bench.account.id }),
    'sub as SQL': () => withClaims({ sub: `${bench.user.id}' OR '1'='1` }),
    'jti as a number': () => withClaims({ jti: 1 }),
    'a fourth part': () => `${withClaims({})}.e30`,
    'two parts': () => withClaims({}).split('.').slice(0, 2).join('.'),
    padding: () => `${withClaims({})}=`,
    'plain base64 instead of base64url': () => Buffer.from(withClaims({})).toString('base64'),
    'more than 8 KB': () => withClaims({ padding: 'x'.repeat(8192) }),
  };
  for (const claim of ['sub', 'iss', 'aud', 'exp', 'iat', 'scope']) {
    forged[`no ${claim}`] = () => bench.signed(bench.header, without(bench.claims, claim));
  }

  test('a forged token is refused, whatever was tried', async () => {
    const verdicts: Record<string, string> = {};
    for (const [what, token] of Object.entries(forged)) verdicts[what] = await verdict(token());
    expect(Object.keys(verdicts).length).toBeGreaterThanOrEqual(60);
    const known = ['invalid_token', 'invalid_api_key', 'malformed_authorization'];
    expect(Object.entries(verdicts).filter(([, code]) => !known.includes(code))).toEqual([]);
    figure('tokens', `${Object.keys(verdicts).length} forged, 0 accepted`);
  });

  test('a token that was made by changing a valid one is refused', async () => {
    const { token } = await bench.issue();
    const authorizer = bench.authorizer();
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.';
    const place = fc.nat(token.length - 1);
    const letter = fc.constantFrom(...alphabet);
    const changed = fc.oneof(
      fc.tuple(place, letter).map(([index, with_]) => token.slice(0, index) + with_ + token.slice(index + 1)),
      place.map((index) => token.slice(0, index) + token.slice(index + 1)),
      fc.tuple(place, letter).map(([index, with_]) => token.slice(0, index) + with_ + token.slice(index)),
      fc.tuple(place, place).map(([from, to]) => token.slice(0, Math.min(from, to)) + token.slice(Math.max(from, to))),
      place.map((index) => token.slice(index) + token.slice(0, index)),
    );
    const runs = process.env.PORTICO_LONG ? 10_000 : 1_500;
    await fc.assert(
      fc.asyncProperty(
        changed.filter((text) => text !== token),
        async (text) => {
          await expect(authorizer.authenticate(`Bearer ${text}`)).rejects.toMatchObject({ status: 401 });
        },
      ),
      { numRuns: runs },
    );
    await expect(authorizer.authenticate(`Bearer ${token}`)).resolves.toBeTruthy();
    figure('tokens', `${runs} changed, 0 accepted`);
  });

  test('a token that differs from a valid one only in unused bits is refused', async () => {
    const { token } = await bench.issue();
    const last = token.at(-1) ?? '';
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const twin = alphabet[alphabet.indexOf(last) + 1] ?? '';
    const bytes = (text: string) => Buffer.from(text.split('.')[2] ?? '', 'base64url');
    expect(bytes(token.slice(0, -1) + twin)).toEqual(bytes(token));
    expect(await verdict(token.slice(0, -1) + twin)).toBe('invalid_token');
  });
});

test('a token of 8 KB is accepted and the next longer one is refused, however well it is signed', async () => {
  const padded = (filler: number) => withClaims({ filler: 'x'.repeat(filler) });
  let filler = 5000;
  while (padded(filler + 1).length <= 8192) filler++;
  expect(padded(filler).length).toBeGreaterThan(8189);
  expect(await verdict(padded(filler))).toBe('accepted');
  expect(await verdict(padded(filler + 1))).not.toBe('accepted');
});

test('a token without a kid is accepted only where a single key is published, and only if that key signed it', async () => {
  const lone = await openTokenBench();
  const getVerdict = (token: string) => verdict(token, 'Bearer', lone);
  const headless = without(lone.header, 'kid');
  for (const { kid, sealed_key: sealed } of await publishedKeys(lone.db, lone.now())) {
    const key = openKey(sealed, kid, lone.peppers);
    const token = lone.signed(headless, lone.claims, (input) => rs256(input, key));
    expect(await getVerdict(token)).toBe('invalid_token');
  }
  await lone.db.deleteFrom('token_keys').where('signs_from', 'is', null).execute();
  expect(await getVerdict(lone.signed(headless, lone.claims))).toBe('accepted');
  expect(await getVerdict(lone.signed({ ...headless, typ: 'at+jwt' }, lone.claims))).toBe('invalid_token');
  expect(await getVerdict(lone.signed({ ...headless, jwk: {} }, lone.claims))).toBe('invalid_token');
  await lone.close();
});

describe('a token over time', () => {
  test('a token works until it has expired for 30 seconds, cached or not', async () => {
    const timed = await openTokenBench();
    const { token } = await timed.issue(60);
    const { authenticate } = timed.authorizer();
    const header = `Bearer ${token}`;
    timed.pass(89_000);
    await expect(authenticate(header)).resolves.toBeTruthy();
    timed.pass(1000);
    await expect(authenticate(header)).rejects.toMatchObject({ code: 'token_expired', status: 401 });
    await expect(timed.authorizer().authenticate(header)).rejects.toMatchObject({ code: 'token_expired' });
    await timed.close();
  });

  test('a token is revoked by its id, by its user, by its account, or by disabling the user, within two seconds', async () => {
    const timed = await openTokenBench();
    const { operator, user, account } = timed;
    const revocations: ((id: string) => Promise<void>)[] = [
      (id) => operator.revokeTokens(id),
      () => operator.revokeTokens(user.id),
      () => operator.revokeTokens(account.id),
      () => operator.setUserStatus(user.id, 'disabled'),
    ];
    for (const revoke of revocations) {
      const [{ token, id }, spared] = [await timed.issue(), await timed.issue()];
      const { authenticate } = timed.authorizer();
      await authenticate(`Bearer ${token}`);
      await revoke(id);
      if (revoke === revocations[0]) await expect(authenticate(`Bearer ${spared.token}`)).resolves.toBeTruthy();
      timed.pass(2000);
      await expect(authenticate(`Bearer ${token}`)).rejects.toMatchObject({ code: 'invalid_token' });
    }
    await expect(timed.issue()).rejects.toThrow(/is disabled/);
    await operator.setUserStatus(user.id, 'active');
    const { token } = await timed.issue();
    await expect(timed.authorizer().authenticate(`Bearer ${token}`)).resolves.toBeTruthy();
    await timed.close();
  });

  test('a token issued in the same second as a revocation works', async () => {
    const timed = await openTokenBench();
    await timed.operator.revokeTokens(timed.user.id);
    const { token } = await timed.issue();
    await expect(timed.authorizer().authenticate(`Bearer ${token}`)).resolves.toBeTruthy();
    await timed.close();
  });
});

test('the scheme for API keys takes no token', async () => {
  const { token } = await bench.issue();
  expect(await verdict(token, 'ApiKey')).toBe('invalid_api_key');
  expect(await verdict(token, 'bearer')).toBe('accepted');
});
