import { useIsFetching, useQueryClient } from '@tanstack/react-query';
import { useOrpc } from './api.ts';

/** Reads all figures of the books again, and says whether that is under way. */
export function useLedger() {
  const { account, credits, usage } = useOrpc();
  const queries = useQueryClient();
  const reading =
    useIsFetching({ queryKey: account.key() }) +
    useIsFetching({ queryKey: credits.key() }) +
    useIsFetching({ queryKey: usage.key() });
  return {
    reading: reading > 0,
    readAgain() {
      for (const area of [account, credits, usage]) void queries.invalidateQueries({ queryKey: area.key() });
    },
  };
}
