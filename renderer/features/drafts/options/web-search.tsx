import { Globe } from 'lucide-react';
import type { Model } from '#shared/wire/model.ts';
import { useOffers } from '../../../actions/offers.ts';
import { composerText as text } from '../../../text/composer-text.ts';
import { usd } from '../../../text/format.ts';
import { IconButton } from '../../../ui/elements/icon-button.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { useOptions } from './use-options.ts';

/** Whether this chat lets models search the web; shown where the model can, and where it would have to. */
export function WebSearch({ chat, model }: { chat: string; model: Model | null }) {
  const { query, set } = useOptions(chat);
  const { failed } = useNotify();
  const able = model?.capabilities.includes('web_search') ?? false;
  const wanted = query.data?.webSearch ?? false;
  const toggle = () => {
    if (query.data)
      set.mutate({ ...query.data, webSearch: !wanted }, { onError: (error) => failed(text.optionsNotKept, error) });
  };
  const shown = able || wanted;
  useOffers({ webSearch: shown && toggle });
  if (!shown) return null;
  const price = model?.pricing?.web_search;
  const label = !able
    ? text.searchUnable(model?.name ?? null)
    : wanted
      ? text.searchOn(price ? usd(price) : null)
      : text.searchOff(price ? usd(price) : null);
  return (
    <IconButton
      icon={Globe}
      label={label}
      action="webSearch"
      aria-pressed={wanted}
      disabled={!query.data}
      className={wanted ? (able ? 'text-accent!' : 'text-warn!') : ''}
      onClick={toggle}
    />
  );
}
