import { asText, type JsonObject } from '#shared/json/foreign-json.ts';

/** Longest address and title that are handed on. */
const longest = { url: 2_048, title: 300 };

export interface Citations {
  readonly type: 'annotations';
  readonly annotations: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Pages of the web that a piece of an answer rests on, in OpenAI's words. `from` and `to`: where the piece begins and ends in the
 * text of the answer, in UTF-16 units. Each page once; what is no web address is left out.
 */
export function citations(pages: readonly JsonObject[], from: number, to: number): Citations {
  const byUrl = new Map<string, JsonObject>();
  for (const page of pages) {
    const url = asText(page.url);
    if (url && url.length <= longest.url && /^https?:\/\//i.test(url) && !byUrl.has(url)) byUrl.set(url, page);
  }
  return {
    type: 'annotations',
    annotations: [...byUrl].map(([url, { title }]) => ({
      type: 'url_citation',
      url_citation: {
        start_index: from,
        end_index: Math.max(from, to),
        title: (asText(title) ?? '').slice(0, longest.title),
        url,
      },
    })),
  };
}
