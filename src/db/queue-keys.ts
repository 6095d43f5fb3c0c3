/** How the queues of jobs are numbered. The key of a workspace's own queue is its id; that of a further webhook address is `-id`. */

/** What the id of a number is added to for the key of its queue. More than any workspace's id. */
export const NUMBER_QUEUES = 1_000_000_000_000;
