/**
 * Posts the same body over and over, with the given concurrency: the bare comparison for webhook deliveries. It reads
 * no row, computes no signature and records no attempt.
 */
import { answerJobs } from "../part.ts";

export interface PostJob {
  url: string;
  body: string;
  count: number;
  concurrency: number;
}

answerJobs<PostJob>(0, async ({ url, body, count, concurrency }) => {
  let left = count;
  const post = async (): Promise<void> => {
    while (left-- > 0) {
      const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
      await answer.text();
      if (!answer.ok) throw new Error(`the receiver answered ${answer.status}`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, post));
  return null;
});
