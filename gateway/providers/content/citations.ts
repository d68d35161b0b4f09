import { asText, type JsonObject } from '#shared/json/foreign-json.ts';

/** Maximum length of a citation's URL and title, in characters. */
const maxLength = { url: 2_048, title: 300 };

export interface Citations {
  readonly type: 'annotations';
  readonly annotations: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Builds OpenAI's annotations for the web pages that a piece of an answer cites. `from` and `to`: start and end of the
 * piece in the answer's text, in UTF-16 units. Each page occurs once, and anything that isn't a web address is left
 * out.
 */
export function citations(pages: readonly JsonObject[], from: number, to: number): Citations {
  const byUrl = new Map<string, JsonObject>();
  for (const page of pages) {
    const url = asText(page.url);
    if (url && url.length <= maxLength.url && /^https?:\/\//i.test(url) && !byUrl.has(url)) byUrl.set(url, page);
  }
  return {
    type: 'annotations',
    annotations: [...byUrl].map(([url, { title }]) => ({
      type: 'url_citation',
      url_citation: {
        start_index: from,
        end_index: Math.max(from, to),
        title: (asText(title) ?? '').slice(0, maxLength.title),
        url,
      },
    })),
  };
}
