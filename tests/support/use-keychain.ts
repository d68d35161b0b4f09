import { openKeychain } from '#core/storage/secrets/keychain.ts';
import { keychainName, openSecretService } from '#core/storage/secrets/secret-service.ts';

/**
 * This file runs as a program of its own, in an environment that the test chooses. It stores a secret in the keychain
 * and prints the result.
 */
const keychain = openKeychain({
  open: () => openSecretService('Portico'),
  backend: keychainName(process.platform),
  limitMs: 30_000,
  log: () => {},
  stateChanged: () => {},
  recovered: () => {},
});
const account = 'p/provider/openai';
const set = await keychain.set(account, 'sk-canary').then(
  () => true,
  () => false,
);
const { state } = keychain.state();
const read = await keychain.get(account).catch(() => null);
process.stdout.write(`${JSON.stringify({ set, read, state })}\n`);
