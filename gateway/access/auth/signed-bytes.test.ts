import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  getSignature,
  isSignedBy,
  parsePrivateKey,
  parsePublicKey,
  publicKeyText,
  signatureAddress,
} from './signed-bytes.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');

test('the same key is read from PEM and from base64', () => {
  const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
  for (const text of [pem, publicKeyText(privateKey), ` ${publicKeyText(privateKey)}\n`])
    expect(parsePublicKey(text).equals(publicKey)).toBe(true);
  const secret = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  expect(parsePrivateKey(secret).equals(privateKey)).toBe(true);
});

test('a key of another kind is refused', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const base64 = rsa.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  expect(() => parsePublicKey(base64)).toThrow(/expected an Ed25519 key, not rsa/);
  expect(() => parsePublicKey('nonsense')).toThrow();
  const pem = rsa.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  expect(() => parsePrivateKey(pem)).toThrow(/not rsa/);
});

test('a single changed bit in the file or its signature is detected', () => {
  const property = fc.property(
    fc.uint8Array({ minLength: 1, maxLength: 200 }),
    fc.nat(),
    fc.nat(7),
    (file, byteIndex, bit) => {
      const signature = getSignature(privateKey, file);
      expect(isSignedBy(publicKey, file, `${signature}\n`)).toBe(true);
      const flipped = (bytes: Uint8Array) =>
        Uint8Array.from(bytes, (byte, index) => (index === byteIndex % bytes.length ? byte ^ (1 << bit) : byte));
      expect(isSignedBy(publicKey, flipped(file), signature)).toBe(false);
      const other = Buffer.from(flipped(Buffer.from(signature, 'base64'))).toString('base64');
      expect(isSignedBy(publicKey, file, other)).toBe(false);
    },
  );
  fc.assert(property, { numRuns: 200 });
});

test('the signature’s address is beside its file and keeps the query', () => {
  expect(signatureAddress(new URL('https://prices.example/a/book.json?v=2')).href).toBe(
    'https://prices.example/a/book.json.sig?v=2',
  );
});
