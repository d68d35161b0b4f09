import { Parser } from 'htmlparser2';

/** An element as a parser found it. */
export interface FoundElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

const web = /^(https?:\/\/|mailto:)[^\s<>"]*$/;
const noAttributes = {};
const aligned = { align: /^(left|center|right)$/ };
const measure = /^[\w .,%+#-]*$/;
/** Attributes that hold sizes, colours and names of shapes. */
const measured = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, measure]));
const plain = (names: string, attributes: Readonly<Record<string, RegExp>> = noAttributes) =>
  names.split(' ').map((name) => [name, attributes] as const);

/** The elements that an exported or printed answer may contain, and the values that each attribute may have. */
const ofAnswers = new Map<string, Readonly<Record<string, RegExp>>>([
  ...plain('h1 h2 h3 h4 h5 h6 pre code strong em del blockquote ul li table thead tbody tr hr br sub sup kbd summary'),
  ...plain('p', { class: /^raw$/ }),
  ...plain('details', { open: /^$/ }),
  ...plain('ol', { start: /^\d{1,9}$/ }),
  ...plain('th td', aligned),
  ...plain('a', { href: web, rel: /^noreferrer noopener$/ }),
]);

const ofFormulas = new Map([
  ...plain('span', { class: /^t-[a-z-]+$/ }),
  ...plain('math', { xmlns: /^http:\/\/www\.w3\.org\/1998\/Math\/MathML$/, display: /^block$/ }),
  ...plain('annotation', { encoding: /^application\/x-tex$/ }),
  ...plain('semantics mroot msqrt msub msubsup msup mtr munderover'),
  ...plain('mfrac', measured('linethickness')),
  ...plain('menclose', measured('notation mathcolor mathbackground')),
  ...plain('mi mn mtext', measured('mathvariant mathcolor width')),
  ...plain('mo', measured('mathvariant fence stretchy separator lspace rspace minsize maxsize accent largeop')),
  ...plain('mover munder', measured('accent accentunder')),
  ...plain('mpadded mspace mphantom', measured('width height depth lspace voffset mathbackground linebreak')),
  ...plain('mrow mstyle', measured('mathcolor mathbackground mathsize mathvariant scriptlevel displaystyle')),
  ...plain(
    'mtable',
    measured('rowspacing columnalign columnspacing columnlines rowlines notation width displaystyle scriptlevel align'),
  ),
  ...plain('mtd', measured('width')),
]);

/** The elements of the page around the answers. */
const ofPages = new Map([
  ...plain('html', { lang: /^en$/ }),
  ...plain('head title style body tfoot figure figcaption summary'),
  ...plain('meta', {
    charset: /^utf-8$/,
    name: /^(viewport|referrer)$/,
    content: /^[\w ;:='"/+,-]*$/,
    'http-equiv': /^(Content-Security-Policy|x-dns-prefetch-control)$/,
  }),
  ...plain('h1', { class: /^(chat|costs)$/ }),
  ...plain('section', { class: /^(you|answer)$/ }),
  ...plain('p', { class: /^(raw|note|said|file)$/ }),
  ...plain('th td', { ...aligned, class: /^amount$/ }),
  ...plain('img', { src: /^data:image\/png;base64,[\w+/=]+$/, alt: /^[\s\S]*$/ }),
  ...plain('details', { open: /^$/ }),
]);

const kinds = {
  copied: ofAnswers,
  answer: new Map([...ofAnswers, ...ofFormulas]),
  page: new Map([...ofAnswers, ...ofFormulas, ...ofPages]),
};
export type Kind = keyof typeof kinds;

/** Returns the elements that we never write, or that have attributes we never write. */
export const foreignAmong = (found: readonly FoundElement[], kind: Kind): FoundElement[] =>
  found.filter(({ name, attributes }) => {
    const known = kinds[kind].get(name);
    return !known || Object.entries(attributes).some(([key, value]) => !known[key]?.test(value));
  });

/**
 * Does the same for markup, with a parser that is independent of ours. Comments and processing
 * instructions always count as foreign.
 */
export function foreignIn(markup: string, kind: Kind): FoundElement[] {
  const found: FoundElement[] = [];
  const other = (name: string) => found.push({ name, attributes: {} });
  const parser = new Parser({
    onopentag: (name, attributes) => found.push({ name, attributes }),
    oncomment: () => other('a comment'),
    oncdatastart: () => other('raw text'),
    onprocessinginstruction: (name) => (name.toLowerCase() === '!doctype' && kind === 'page' ? 0 : other(name)),
  });
  parser.end(markup);
  return foreignAmong(found, kind);
}
