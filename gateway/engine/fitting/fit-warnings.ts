import type { Warning } from '#shared/wire/chat-response.ts';
import type { CatalogueModel } from '../../models/catalogue/catalogue.ts';

/** The model that a warning names: the warnings below report how a request was changed for its model. */

type Named = Pick<CatalogueModel, 'id'>;

export const dropped = (param: string, { id }: Named): Warning => ({
  code: 'parameter_dropped',
  param,
  message: `${id} does not support "${param}"; it was left out.`,
});

export const clamped = ({ id }: Named, most: number): Warning => ({
  code: 'temperature_clamped',
  param: 'temperature',
  message: `${id} takes temperatures up to ${most}; that was used.`,
});

export const lowered = ({ id }: Named, most: number): Warning => ({
  code: 'max_tokens_lowered',
  param: 'max_tokens',
  message: `${id} has room for an answer of ${most} tokens here; that was asked for.`,
});

/** `why` is a sentence without its end. */
export const changed = (code: string, param: string, why: string): Warning => ({ code, param, message: `${why}.` });

export const grammarsInWords: Warning = {
  code: 'format_in_words',
  param: 'tools',
  message: 'Grammars of custom tools are asked for in words; no model is held to them here.',
};
