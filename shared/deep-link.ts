import { z } from 'zod';

export const linkScheme = 'portico';

const id = z.string().min(1).max(64);
const fields = {
  /** A new chat with this draft. It is never sent automatically. */
  new: z.strictObject({ prompt: z.string().max(20_000).default(''), model: z.string().min(1).max(300).optional() }),
  /** The list of models with a filter. */
  models: z.strictObject({
    q: z.string().max(200).optional(),
    provider: z.string().max(1000).optional(),
    can: z.string().max(200).optional(),
    max: z.string().max(20).optional(),
    context: z.string().max(20).optional(),
    usable: z.literal('1').optional(),
    favourites: z.literal('1').optional(),
    sort: z.string().max(20).optional(),
    model: z.string().max(300).optional(),
  }),
  /** A gateway to connect to. The user enters its key. */
  gateway: z.strictObject({ url: z.httpUrl().max(2048) }),
  /** A prompt to add to the library. */
  prompt: z.strictObject({ name: z.string().trim().min(1).max(80), text: z.string().min(1).max(20_000) }),
};
const chat = z.union([z.tuple([id]), z.tuple([id, id])]);
const maxCharacters = 131_072;

/**
 * What a link asks the app to do (product page: deep links). Nothing happens before the user has seen it and agreed.
 */
export type DeepLink =
  | { readonly kind: 'new'; readonly prompt: string; readonly model: string | null }
  | { readonly kind: 'chat'; readonly conversationId: string; readonly messageId: string | null }
  /** `search` is the filter as it was written in the link. */
  | { readonly kind: 'models'; readonly search: string }
  | { readonly kind: 'gateway'; readonly url: string }
  | { readonly kind: 'prompt'; readonly name: string; readonly text: string };

/**
 * Parses `portico://new?prompt=…&model=…`, `portico://chat/ID[/MESSAGE]`, `portico://models?q=…&can=…&sort=…`,
 * `portico://gateway?url=…` or `portico://prompt?name=…&text=…`. Returns null for anything else, including links with a
 * missing, unknown, duplicate or too long field.
 */
export function readDeepLink(text: string): DeepLink | null {
  const match =
    text.length > maxCharacters ? null : /^portico:(?:\/\/)?([a-z]+)(\/[^?#]*)?(?:\?([^#]*))?$/i.exec(text.trim());
  if (!match) return null;
  const [, kind = '', path = '', query = ''] = match;
  const values = query === '' ? {} : getValues(query);
  if (values === null) return null;
  switch (kind.toLowerCase()) {
    case 'chat':
      return query === '' ? chatLink(path) : null;
    case 'new': {
      const { data } = fields.new.safeParse(values);
      return data && isBare(path) ? { kind: 'new', prompt: data.prompt, model: data.model ?? null } : null;
    }
    case 'models': {
      const { data } = fields.models.safeParse(values);
      return data && isBare(path) ? { kind: 'models', search: query } : null;
    }
    case 'gateway': {
      const { data } = fields.gateway.safeParse(values);
      return data && isBare(path) && isPlain(data.url) ? { kind: 'gateway', url: data.url } : null;
    }
    case 'prompt': {
      const { data } = fields.prompt.safeParse(values);
      return data && isBare(path) ? { kind: 'prompt', ...data } : null;
    }
    default:
      return null;
  }
}

const isBare = (path: string) => path === '' || path === '/';

/** The URL has no user name or password. A connection would send these, and they can disguise the host. */
function isPlain(url: string): boolean {
  return !/^https?:\/\/[^/?#]*@/i.test(url);
}

function chatLink(path: string): DeepLink | null {
  const parts = path.split('/').filter(Boolean).map(decoded);
  const { data } = chat.safeParse(parts);
  return data ? { kind: 'chat', conversationId: data[0], messageId: data[1] ?? null } : null;
}

function getValues(query: string): Record<string, string> | null {
  const values = new Map<string, string>();
  for (const part of query.split('&')) {
    const [name = '', ...rest] = part.split('=');
    const [key, value] = [decoded(name), decoded(rest.join('='))];
    if (key === null || value === null || values.has(key)) return null;
    values.set(key, value);
  }
  return Object.fromEntries(values);
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '));
  } catch {
    return null;
  }
}
