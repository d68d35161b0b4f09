import { Secret } from '#gateway/access/auth/secret.ts';
import { refusal } from '#shared/language/refusals.ts';
import { getHint, type SecretBox } from '../../storage/secrets/secret-box.ts';
import { secretName } from './entry-secrets.ts';
import { type Entry, getKeys } from './provider-entry.ts';
import { mainKey } from './provider-settings.ts';

const maxKeys = 16;

const of = (param: string) => ({ details: { param } });

/** The provider with an additional last key; not saved yet. */
export function withFurtherKey(
  entry: Entry,
  { id: keyId, label, key }: { readonly id: string; readonly label: string; readonly key: string },
): { entry: Entry; keyId: string; secret: Secret } {
  const keys = getKeys(entry);
  if (entry.storage === 'environment' || keys.length === 0) throw refusal('invalid_input', 'firstKeyFirst', of('key'));
  if (keys.length >= maxKeys) throw refusal('invalid_input', 'tooManyKeys', { most: maxKeys }, of('key'));
  if (keys.some((each) => each.label === label)) throw refusal('invalid_input', 'labelTaken', of('label'));
  const secret = new Secret(key);
  if (keys.some((each) => each.secret?.reveal() === key)) throw refusal('invalid_input', 'keyTwice', of('key'));
  const settings = {
    ...entry.settings,
    further: [...entry.settings.further, { id: keyId, label, hint: getHint(secret) }],
    order: [...keys.map(({ id }) => id), keyId],
  };
  const further = new Map(entry.further).set(keyId, { secret, storage: 'session', state: 'unchecked', problem: null });
  return { entry: { ...entry, settings, further }, keyId, secret };
}

/** The same keys in another order. */
export function inOrder(entry: Entry, keyIds: readonly string[]): Entry {
  const known = getKeys(entry).map(({ id }) => id);
  if (keyIds.length !== known.length || !known.every((id) => keyIds.includes(id)))
    throw refusal('invalid_input', 'eachKeyOnce', of('keyIds'));
  return { ...entry, settings: { ...entry.settings, order: [...keyIds] } };
}

/** The provider without one of its keys. If it is the main one, the next key replaces it in the keychain first. */
export async function withoutOneKey(secrets: SecretBox, entry: Entry, keyId: string): Promise<Entry> {
  if (!getKeys(entry).some(({ id }) => id === keyId)) throw refusal('invalid_input', 'noSuchKey', of('keyId'));
  if (keyId !== mainKey) {
    await secrets.remove(secretName(entry.id, keyId));
    return withoutFurther(entry, keyId);
  }
  const next = getKeys(entry).find(({ id, secret }) => id !== mainKey && secret !== null);
  if (!next?.secret) throw refusal('invalid_input', 'otherKeysUnread', of('keyId'));
  const storage = await secrets.set(secretName(entry.id), next.secret);
  await secrets.remove(secretName(entry.id, next.id));
  const order = entry.settings.order.filter((id) => id !== mainKey).map((id) => (id === next.id ? mainKey : id));
  const { state, problem, label, hint, secret } = next;
  const promoted = withoutFurther(entry, next.id);
  return {
    ...promoted,
    secret,
    storage,
    state,
    problem,
    keyHint: hint,
    settings: { ...promoted.settings, order, mainLabel: label },
  };
}

function withoutFurther(entry: Entry, keyId: string): Entry {
  const { settings } = entry;
  const further = new Map(entry.further);
  further.delete(keyId);
  return {
    ...entry,
    further,
    settings: {
      ...settings,
      further: settings.further.filter(({ id }) => id !== keyId),
      order: settings.order.filter((id) => id !== keyId),
    },
  };
}
