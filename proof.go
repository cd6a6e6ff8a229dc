package amble

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Proof says that an account proved a property.
type Proof struct {
	Account  string      `json:"account"`
	Property Property    `json:"property"`
	Method   ProofMethod `json:"method"`
	At       time.Time   `json:"at"`    // when it was last seen to hold
	Renew    time.Time   `json:"renew"` // when it is to be checked again at the latest
	Until    time.Time   `json:"until"` // when it ends if nobody does

	// Failing is when a check failed for the first time since At; zero when none did. Problem says why.
	Failing time.Time `json:"failing,omitzero"`
	Problem string    `json:"problem,omitempty"`
}

// Valid reports whether the proof holds at that time. The zero Proof never does.
func (p Proof) Valid(now time.Time) bool {
	return p.Property != Property{} && !p.At.IsZero() && now.Before(p.Until)
}

// Verify looks whether the owner has met the Challenge, asking through via only (see Crawler.Via), and returns the proof.
//
// Where a proof by the same method stands already, a failure does not end it at once: the standing proof is returned, with
// Failing and Problem set, until a second failure comes at least DropAfter later. Otherwise a failure is an error that
// matches ErrUnproved, with the reason. Troubles of our own (the context, an excluded or switched-off host, the budget)
// are errors too, and count as no failure.
func (p *Prover) Verify(ctx context.Context, via Fetcher, account string, property Property, method ProofMethod) (Proof, error) {
	c, err := p.Challenge(account, property, method)
	if err != nil {
		return Proof{}, err
	}
	failure := p.check(ctx, via, property, c)
	if failure != nil && oursToBlame(ctx, failure) {
		return Proof{}, failure
	}
	now := time.Now()
	if failure == nil {
		age := defaulted(p.MaxAge, 30*24*time.Hour)
		proof := Proof{Account: account, Property: property, Method: method, At: now, Renew: now.Add(age)}
		proof.Until = proof.Renew.Add(p.dropAfter())
		return proof, p.change(ctx, account, property, func(Proof) *Proof { return &proof })
	}
	if !errors.Is(failure, ErrUnproved) {
		failure = &Error{Op: "ownership", URL: c.Where, Kind: ErrUnproved, Err: failure}
	}
	var standing Proof
	err = p.change(ctx, account, property, func(old Proof) *Proof {
		if !old.Valid(now) || old.Method != method {
			return &old
		}
		if old.Failing.IsZero() {
			old.Failing = now
		} else if now.Sub(old.Failing) >= p.dropAfter() {
			failure = &Error{Op: "ownership", URL: c.Where, Kind: ErrUnproved, Err: failure,
				Reason: fmt.Sprintf("the proof is dropped: it failed on %s and again now", old.Failing.UTC().Format(time.DateTime))}
			return nil
		}
		old.Problem = reasonOf(failure)
		standing = old
		return &old
	})
	if err != nil {
		return Proof{}, err
	}
	if standing.Valid(now) {
		return standing, nil
	}
	return Proof{}, failure
}

// Renew checks a remembered proof again, by its own method, as is due before each recurring run: see Verify. Without one
// the error matches ErrUnproved.
func (p *Prover) Renew(ctx context.Context, via Fetcher, account string, property Property) (Proof, error) {
	old, err := p.Proof(ctx, account, property)
	if err != nil {
		return Proof{}, err
	}
	return p.Verify(ctx, via, account, property, old.Method)
}

// Proof returns what is remembered, without asking anybody. The error matches ErrUnproved when there is no valid proof.
func (p *Prover) Proof(ctx context.Context, account string, property Property) (Proof, error) {
	proof, err := p.recall(ctx, account, property)
	if err == nil && !proof.Valid(time.Now()) {
		err = unproved(property.String(), "nobody has proved it, or the proof is too old")
	}
	if err != nil {
		return Proof{}, err
	}
	return proof, nil
}

// Drop forgets a proof, for an owner who takes it back.
func (p *Prover) Drop(ctx context.Context, account string, property Property) error {
	return p.change(ctx, account, property, func(Proof) *Proof { return nil })
}

func (p *Prover) dropAfter() time.Duration { return defaulted(p.DropAfter, 72*time.Hour) }

// oursToBlame reports whether a failure says nothing about the owner.
func oursToBlame(ctx context.Context, err error) bool {
	for _, kind := range []error{ErrOutOfScope, ErrBudget, ErrConfig, ErrStore, ErrClosed, context.Canceled} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return ctx.Err() != nil
}

func proofNote(account string, property Property) string {
	return "proof " + property.String() + " " + account
}

func (p *Prover) recall(ctx context.Context, account string, property Property) (proof Proof, err error) {
	if p.Notes == nil {
		return proof, nil
	}
	note, err := p.Notes.Note(ctx, proofNote(account, property))
	if errors.Is(err, ErrNoRecord) {
		return proof, nil
	}
	if err == nil {
		err = json.Unmarshal(note, &proof)
	}
	if err != nil {
		return Proof{}, &Error{Op: "ownership", URL: property.String(), Kind: ErrStore, Err: err}
	}
	if proof.Account != account || proof.Property != property {
		return Proof{}, nil
	}
	return proof, nil
}

// change replaces what is remembered; nil forgets it, a Proof of no property leaves it as it is.
func (p *Prover) change(ctx context.Context, account string, property Property, f func(Proof) *Proof) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	old, err := p.recall(ctx, account, property)
	if err != nil {
		return err
	}
	fresh := f(old)
	if p.Notes == nil || fresh != nil && (fresh.Property == Property{}) {
		return nil
	}
	var note []byte
	if fresh != nil {
		if note, err = json.Marshal(fresh); err != nil {
			return err
		}
	}
	if err := p.Notes.PutNote(ctx, proofNote(account, property), note); err != nil {
		return &Error{Op: "ownership", URL: property.String(), Kind: ErrStore, Err: err}
	}
	return nil
}
