/// <reference path="./woff2.d.ts" />

import maths from '@fontsource/noto-sans-math/files/noto-sans-math-latin-400-normal.woff2?inline';
import interCyrillic from '@fontsource-variable/inter/files/inter-cyrillic-wght-normal.woff2?inline';
import interGreek from '@fontsource-variable/inter/files/inter-greek-wght-normal.woff2?inline';
import interMoreLatin from '@fontsource-variable/inter/files/inter-latin-ext-wght-normal.woff2?inline';
import interLatin from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?inline';
import monoCyrillic from '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-cyrillic-wght-normal.woff2?inline';
import monoGreek from '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-greek-wght-normal.woff2?inline';
import monoMoreLatin from '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-ext-wght-normal.woff2?inline';
import monoLatin from '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2?inline';

const face = (family: string, weights: string) => (source: string) =>
  `@font-face{font-family:"${family}";font-weight:${weights};font-display:block;src:url(${source})}`;

// Of a family's faces, browsers use the last one that contains a character.
const inter = [interCyrillic, interGreek, interMoreLatin, interLatin].map(face('Inter', '100 900'));
const mono = [monoCyrillic, monoGreek, monoMoreLatin, monoLatin].map(face('JetBrains Mono', '100 800'));

/** The font of the footer, which is rendered as a page of its own. */
export const footFont = inter.join('');

/** Embedded fonts let a PDF look the same from every computer: Latin, Greek, Cyrillic, code and formulas. */
export const printFonts = [footFont, ...mono, face('Portico Maths', '400')(maths)].join('');
