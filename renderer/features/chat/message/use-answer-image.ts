import { skipToken, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useOrpc } from '../../../api/api.ts';
import { fromBase64 } from '../../drafts/attachments/file-chunks.ts';

/** Fetches an image of an answer through the core. Its object URL is valid while the component is mounted. */
export function useAnswerImage(url: string | null) {
  const image = useQuery(
    useOrpc().images.fetch.queryOptions({
      input: url === null ? skipToken : { url },
      retry: false,
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 60_000,
    }),
  );
  const { data } = image;
  const [source, setSource] = useState<string | null>(null);
  useEffect(() => {
    if (!data) return;
    const next = URL.createObjectURL(new Blob([fromBase64(data.base64)], { type: data.mediaType }));
    setSource(next);
    return () => {
      URL.revokeObjectURL(next);
      setSource(null);
    };
  }, [data]);
  return { source, data, error: image.error, retry: () => void image.refetch() };
}
