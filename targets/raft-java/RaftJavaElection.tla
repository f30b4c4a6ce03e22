---------------------------- MODULE RaftJavaElection ----------------------------
(* The elections of raft-java 1.8.0, as its source has them. An answer arrives in the step in which its request is handled, so   *)
(* that a step is what a schedule decides: an election timer that goes off, a request that is handled, a crash, a restart. Logs  *)
(* are empty, and a leader sends nothing.                                                                                        *)
EXTENDS Naturals, FiniteSets

CONSTANTS Servers, MaxTimeouts, MaxCrashes

VARIABLES role, term, vote,
  granted,   \* what each server knows of the others' last answers
  requests,  \* how many requests are under way, of each sort that there are any of
  saved,     \* the term and the vote that a server had when it crashed
  timeouts, crashes  \* how many there were: bounds of the model

vars == <<role, term, vote, granted, requests, saved, timeouts, crashes>>

Follower == "STATE_FOLLOWER"
PreCandidate == "STATE_PRE_CANDIDATE"
Candidate == "STATE_CANDIDATE"
Leader == "STATE_LEADER"
Down == "DOWN"
Nobody == 0

Others(s) == Servers \ {s}
Unknown == [s \in Servers |-> "unknown"]
Answer(isGranted) == IF isGranted THEN "yes" ELSE "no"
Yes(s, answers) == Cardinality({o \in Others(s) : answers[o] = "yes"})
IsMajority(number) == 2 * number > Cardinality(Servers)

(* A request whose sender has crashed is an orphan: it is handled, and nobody gets the answer.                                   *)
Request(kind, to, from, t, isOrphan) == [kind |-> kind, to |-> to, from |-> from, term |-> t, orphan |-> isOrphan]
Oldest(kind, to, from, t) ==
  LET orphan == Request(kind, to, from, t, TRUE)
  IN IF orphan \in DOMAIN requests THEN orphan ELSE Request(kind, to, from, t, FALSE)
Count(bag, m) == IF m \in DOMAIN bag THEN bag[m] ELSE 0
Without(bag, m) == IF bag[m] = 1 THEN [o \in DOMAIN bag \ {m} |-> bag[o]] ELSE [bag EXCEPT ![m] = @ - 1]
WithAll(bag, sent) == [m \in DOMAIN bag \union sent |-> Count(bag, m) + (IF m \in sent THEN 1 ELSE 0)]
ToOthers(kind, s, t) == {Request(kind, o, s, t, FALSE) : o \in {o \in Others(s) : role[o] # Down}}
WithoutServer(bag, s) ==
  LET after(m) == [m EXCEPT !.orphan = @ \/ m.from = s]
      left == {m \in DOMAIN bag : m.to # s}
      sum(n) == LET alive == [n EXCEPT !.orphan = FALSE]
                IN IF n.from = s THEN Count(bag, n) + Count(bag, alive) ELSE bag[n]
  IN [n \in {after(m) : m \in left} |-> sum(n)]

Init ==
  /\ role = [s \in Servers |-> Follower]
  /\ term = [s \in Servers |-> 0]
  /\ vote = [s \in Servers |-> Nobody]
  /\ granted = [s \in Servers |-> Unknown]
  /\ requests = [m \in {} |-> 0]
  /\ saved = [s \in Servers |-> <<0, Nobody>>]
  /\ timeouts = 0
  /\ crashes = 0

(* The timer of a server goes off, whatever its role is: becoming the leader does not stop a timer that has gone off already.    *)
TimesOut(s) == role[s] # Down
Timeout(s) ==
  /\ TimesOut(s)
  /\ role' = [role EXCEPT ![s] = PreCandidate]
  /\ granted' = [granted EXCEPT ![s] = Unknown]
  /\ requests' = WithAll(requests, ToOthers("PreVote", s, term[s]))
  /\ timeouts' = timeouts + 1
  /\ UNCHANGED <<term, vote, saved, crashes>>

(* A server is asked whether it would vote for another one, which begins an election when a majority would.                      *)
PreVote(s, from, t) ==
  LET m == Oldest("PreVote", s, from, t)
      isGranted == t >= term[s]
      answers == [granted[from] EXCEPT ![s] = Answer(isGranted)]
      counts == ~m.orphan /\ term[from] = t /\ role[from] = PreCandidate
      begins == counts /\ isGranted /\ IsMajority(1 + Yes(from, answers))
      isBehind == counts /\ ~isGranted
  IN
  /\ m \in DOMAIN requests
  /\ role' = [role EXCEPT ![from] = IF begins THEN Candidate ELSE IF isBehind THEN Follower ELSE @]
  /\ term' = [term EXCEPT ![from] = IF begins THEN @ + 1 ELSE IF isBehind THEN term[s] ELSE @]
  /\ vote' = [vote EXCEPT ![from] = IF begins THEN from ELSE IF isBehind THEN Nobody ELSE @]
  /\ granted' = [granted EXCEPT ![from] = IF begins THEN Unknown ELSE IF m.orphan THEN @ ELSE answers]
  /\ requests' = WithAll(Without(requests, m), IF begins THEN ToOthers("Vote", from, t + 1) ELSE {})
  /\ UNCHANGED <<saved, timeouts, crashes>>

(* A server is asked for its vote.                                                                                               *)
MayVote(s, from) == vote[s] = Nobody
Vote(s, from, t) ==
  LET m == Oldest("Vote", s, from, t)
      isNew == t > term[s]
      isGranted == isNew \/ (t = term[s] /\ MayVote(s, from))
      answers == [granted[from] EXCEPT ![s] = Answer(isGranted)]
      counts == ~m.orphan /\ term[from] = t /\ role[from] = Candidate
      isBehind == counts /\ ~isGranted /\ term[s] > t
      own == IF vote[from] = from THEN 1 ELSE 0
      wins == counts /\ isGranted /\ IsMajority(own + Yes(from, answers))
  IN
  /\ m \in DOMAIN requests
  /\ role' = [role EXCEPT ![s] = IF isGranted THEN Follower ELSE @,
                          ![from] = IF wins THEN Leader ELSE IF isBehind THEN Follower ELSE @]
  /\ term' = [term EXCEPT ![s] = IF isNew THEN t ELSE @, ![from] = IF isBehind THEN term[s] ELSE @]
  /\ vote' = [vote EXCEPT ![s] = IF isGranted THEN from ELSE @, ![from] = IF isBehind THEN Nobody ELSE @]
  /\ granted' = [granted EXCEPT ![from] = IF m.orphan THEN @ ELSE answers]
  /\ requests' = Without(requests, m)
  /\ UNCHANGED <<saved, timeouts, crashes>>

Crash(s) ==
  /\ role[s] # Down
  /\ role' = [role EXCEPT ![s] = Down]
  /\ saved' = [saved EXCEPT ![s] = <<term[s], vote[s]>>]
  /\ term' = [term EXCEPT ![s] = 0]
  /\ vote' = [vote EXCEPT ![s] = Nobody]
  /\ granted' = [granted EXCEPT ![s] = Unknown]
  /\ requests' = WithoutServer(requests, s)
  /\ crashes' = crashes + 1
  /\ UNCHANGED timeouts

(* The term and the vote are on the disk before anybody learns of them: Raft needs that, and this is where raft-java parts.      *)
Restart(s) ==
  /\ role[s] = Down
  /\ role' = [role EXCEPT ![s] = Follower]
  /\ term' = [term EXCEPT ![s] = saved[s][1]]
  /\ vote' = [vote EXCEPT ![s] = saved[s][2]]
  /\ UNCHANGED <<granted, requests, saved, timeouts, crashes>>

Terms == 0..MaxTimeouts
Next ==
  \/ \E s \in Servers : Timeout(s)
  \/ \E s, from \in Servers, t \in Terms : PreVote(s, from, t)
  \/ \E s, from \in Servers, t \in Terms : Vote(s, from, t)
  \/ \E s \in Servers : Crash(s)
  \/ \E s \in Servers : Restart(s)

Spec == Init /\ [][Next]_vars

Bounded == timeouts <= MaxTimeouts /\ crashes <= MaxCrashes

ElectionSafety ==
  \A a, b \in Servers : role[a] = Leader /\ role[b] = Leader /\ term[a] = term[b] => a = b
=================================================================================
