// `npm run package -- --sign-feed FILE…` writes a signature next to each feed of updates (`latest.yml` →
// `latest.yml.sig`), with the Ed25519 key in PORTICO_UPDATE_PRIVATE_KEY (PKCS #8, PEM). The app checks it with the
// public key of its build (PORTICO_UPDATE_KEY).
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { say, UserError } from './bootstrap.mjs';

const howToMake = 'Make one by: openssl genpkey -algorithm ed25519';

export function signFeeds(files) {
  if (files.length === 0) throw new UserError('name the files to sign: npm run package -- --sign-feed latest.yml', 2);
  const key = privateKey();
  for (const file of files) {
    writeFileSync(`${file}.sig`, `${sign(null, readFileSync(file), key).toString('base64')}\n`);
    say(`signed ${file}`);
  }
  return 0;
}

function privateKey() {
  const { PORTICO_UPDATE_PRIVATE_KEY: pem, PORTICO_UPDATE_KEY: expected } = process.env;
  if (!pem) throw new UserError(`PORTICO_UPDATE_PRIVATE_KEY is not set. ${howToMake}`, 2);
  const key = read(() => createPrivateKey(pem), 'PORTICO_UPDATE_PRIVATE_KEY');
  if (expected && toBase64(createPublicKey(key)) !== updateKey(expected))
    throw new UserError('PORTICO_UPDATE_PRIVATE_KEY does not belong to PORTICO_UPDATE_KEY: no app would take it.', 2);
  return key;
}

/** Returns the public key as the app's build contains it (SPKI in base64), from that format or from PEM. */
export function updateKey(text) {
  const pem = text.includes('-----BEGIN');
  const input = pem ? text : { key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' };
  return toBase64(read(() => createPublicKey(input), 'PORTICO_UPDATE_KEY'));
}

const toBase64 = (key) => key.export({ format: 'der', type: 'spki' }).toString('base64');

function read(parse, name) {
  try {
    const key = parse();
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // The error below reports this without any part of the key.
  }
  throw new UserError(`${name} is no Ed25519 key. ${howToMake}`, 2);
}
