import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { useApi } from '../../../api/api.ts';
import { readFile } from './file-chunks.ts';

/** The bytes of an attachment. They never change, so they are read once. */
export function useFile(attachment: Attachment, wanted = true) {
  const api = useApi();
  return useQuery({
    queryKey: ['file', attachment.id],
    queryFn: ({ signal }) => readFile(api, attachment, signal),
    enabled: wanted,
    gcTime: 60_000,
  });
}

/** An object URL of an image while the component is mounted. Null until the image has been read. */
export function useFileUrl(attachment: Attachment): string | null {
  const isImage = attachment.kind === 'image';
  const { data } = useFile(attachment, isImage);
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    // Other kinds of files have data too once they were opened, but need no URL.
    if (!data || !isImage) return;
    const next = URL.createObjectURL(data);
    setUrl(next);
    return () => URL.revokeObjectURL(next);
  }, [data, isImage]);
  return url;
}
