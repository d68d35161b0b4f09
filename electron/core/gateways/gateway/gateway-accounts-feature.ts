import { Secret } from '#gateway/access/auth/secret.ts';
import type { ReportedVerification } from '#shared/client/reported.ts';
import type { GatewayAccount } from '#shared/contract/app/gateway-accounts.ts';
import { isObject } from '#shared/json/foreign-json.ts';
import type { Language } from '#shared/language/messages.ts';
import { refusal } from '#shared/language/refusals.ts';
import { visibleLines, visibleWord } from '#shared/visible.ts';
import type { AskPerson, Question } from '../../runtime/host/ask-person.ts';
import { questionText } from '../../runtime/host/question-text.ts';
import type { CoreContext } from '../../storage/core-context.ts';
import { getHint } from '../../storage/secrets/secret-box.ts';
import { parseBaseUrl } from '../connection/base-url.ts';
import { checkCredential } from '../connection/check-credential.ts';
import { askGateway } from '../connection/gateway-errors.ts';
import type { Account, GatewayAccounts } from './remote-accounts.ts';

export interface GatewayAccountsFeatureDeps extends CoreContext {
  readonly accounts: GatewayAccounts;
  /** Called when another account becomes the payer, before the windows are notified. Never throws. */
  readonly switched: () => Promise<void>;
  readonly ask: AskPerson;
  readonly language: () => Promise<Language>;
}

const maxAccounts = 50;

/** Manages the accounts at remote gateways and which of them pays. A credential is stored and never returned. */
export function gatewayAccountsFeature(deps: GatewayAccountsFeatureDeps) {
  const { accounts, changes, newId, switched, ask, language, closing } = deps;

  async function payerChanged(): Promise<void> {
    await switched();
    changes.emit('payer', 'gateway', 'models', 'account', 'providers', 'settings');
  }

  return {
    async list() {
      const all = accounts
        .all()
        .map(async (account) => ({ ...shown(account), ownKeys: await accounts.isAgreed(account) }));
      return { accounts: await Promise.all(all), active: accounts.active()?.id ?? null };
    },

    async add(input: {
      name?: string | null | undefined;
      baseUrl: string;
      key: string;
      replace?: boolean | undefined;
    }): Promise<GatewayAccount> {
      const baseUrl = parseBaseUrl(input.baseUrl, { withKey: true });
      const isFull = accounts.all().length >= maxAccounts;
      if (isFull && !input.replace) throw refusal('invalid_input', 'tooManyAccounts', { most: maxAccounts });
      const secret = new Secret(input.key);
      const verified = await askGateway(() => checkCredential(accounts.clientFor(baseUrl, secret)));
      const connected = await accounts.findConnected(baseUrl, verified?.account.id ?? null);
      if (connected && !input.replace) throw refusal('invalid_input', 'accountConnected', { name: connected.name });
      if (connected) {
        const named = input.name == null ? {} : { name: input.name };
        const replaced = await accounts.change(connected.id, { ...named, ...getFacts(secret, verified) }, secret);
        await accounts.use(connected.id);
        await payerChanged();
        return shown(replaced);
      }
      if (isFull) throw refusal('invalid_input', 'tooManyAccounts', { most: maxAccounts });
      const name = input.name ?? verified?.account.name?.slice(0, 60) ?? new URL(baseUrl).host;
      const added = await accounts.add(
        { id: newId(), name, baseUrl, ownKeys: false, ...getFacts(secret, verified) },
        secret,
      );
      await payerChanged();
      return shown(added);
    },

    async use({ id }: { id: string | null }): Promise<void> {
      await accounts.use(id);
      await payerChanged();
    },

    async change({ id, name, key }: { id: string; name?: string | null | undefined; key?: string | null | undefined }) {
      const { baseUrl } = accounts.require(id);
      const named = name == null ? {} : { name };
      if (key == null) {
        const renamed = await accounts.change(id, named);
        changes.emit('gateway');
        return shown(renamed);
      }
      const secret = new Secret(key);
      const verified = await askGateway(() => checkCredential(accounts.clientFor(baseUrl, secret)));
      const changed = await accounts.change(id, { ...named, ...getFacts(secret, verified) }, secret);
      await payerChanged();
      return shown(changed);
    },

    async setOwnKeys({ id, on }: { id: string; on: boolean }, signal: AbortSignal | undefined): Promise<void> {
      const { baseUrl } = accounts.require(id);
      if (on)
        await ask(`own keys to ${id} at ${baseUrl}`, ownKeysQuestion(baseUrl, await language()), signal ?? closing);
      await accounts.setOwnKeys(id, on);
      changes.emit('gateway', 'models', 'account');
    },

    async remove({ id }: { id: string }): Promise<void> {
      const paid = accounts.active()?.id === id;
      await accounts.remove(id);
      if (paid) await payerChanged();
      else changes.emit('gateway');
    },
  };
}

function ownKeysQuestion(baseUrl: string, language: Language): Question {
  const { no, ownKeys } = questionText(language);
  const facts = [{ label: ownKeys.url, lines: visibleLines([visibleWord(baseUrl)]) }];
  return { title: ownKeys.title, advice: ownKeys.advice, facts, yes: ownKeys.yes, no, language };
}

const shown = ({
  source: _source,
  formerSources: _former,
  accountId: _accountId,
  ...account
}: Account): GatewayAccount => account;

/** Returns what the gateway reports about a credential, or else what a token's own claims contain. */
function getFacts(
  secret: Secret,
  verified: ReportedVerification | null,
): Pick<Account, 'kind' | 'keyHint' | 'expiresAt' | 'accountId'> {
  const claims = getClaims(secret.reveal());
  const kind = verified?.credential?.type ?? (claims ? 'jwt' : 'api_key');
  const end = verified?.credential?.expires_at;
  const seconds = typeof end === 'number' ? end : (claims?.exp ?? null);
  return {
    kind,
    keyHint: kind === 'jwt' ? null : getHint(secret),
    expiresAt: seconds === null ? null : seconds * 1000,
    accountId: verified?.account.id ?? null,
  };
}

/** Returns the unverified claims of a token. Null if the text is not a token. */
function getClaims(text: string): { readonly exp: number | null } | null {
  const [, payload, signature] = text.split('.');
  if (!payload || !signature) return null;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return isObject(claims) ? { exp: Number.isSafeInteger(claims.exp) ? Number(claims.exp) : null } : null;
  } catch {
    return null;
  }
}
