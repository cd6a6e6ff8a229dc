package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/amblecrawl/amble"
	"github.com/amblecrawl/amble/examples/internal/cli"
)

// verify says what an owner must put where to prove a site, or looks whether it is there (S6).
func verify(ctx context.Context, o options, out, _ io.Writer) (int, error) {
	property, err := amble.ParseProperty(o.who.Args[0])
	if err != nil {
		return 0, err
	}
	if o.account == "" || o.state == "" {
		return 0, fmt.Errorf("sitenorma: verify needs -account, for whom the site is proved, and -state, where that is remembered: %w", amble.ErrConfig)
	}
	store, err := amble.OpenFileStore(o.state, nil)
	if err != nil {
		return 0, err
	}
	defer store.Close()
	prover, err := o.prover(store)
	if err != nil {
		return 0, err
	}
	if o.method == "" {
		return cli.ExitOK, instruct(out, prover, o.account, property)
	}
	via, err := o.crawler().Via()
	if err != nil {
		return 0, err
	}
	defer via.Close()
	proof, err := prover.Verify(ctx, via, o.account, property, amble.ProofMethod(o.method))
	switch {
	case errors.Is(err, amble.ErrUnproved):
		fmt.Fprintf(out, "Not proved: %v\n\n", err)
		return cli.ExitFindings, instruct(out, prover, o.account, property)
	case err != nil:
		return 0, err
	case proof.Problem != "":
		fmt.Fprintf(out, "%s could not be checked again now (%s); the proof of %s still stands.\n", property, proof.Problem, proof.At.UTC().Format(time.DateOnly))
		return cli.ExitOK, nil
	}
	fmt.Fprintf(out, "Proved: %s is %s's, by %s. It is to be checked again by %s.\n", property, o.account, proof.Method, proof.Renew.UTC().Format(time.DateOnly))
	return cli.ExitOK, nil
}

// instruct tells an owner each way to prove a site.
func instruct(out io.Writer, prover *amble.Prover, account string, property amble.Property) error {
	fmt.Fprintf(out, "To prove that %s is %s's, do one of these, then run this again with its -method:\n", property, account)
	for _, method := range prover.Methods(property) {
		c, err := prover.Challenge(account, property, method)
		if err != nil {
			continue // an address has no DNS records
		}
		switch method {
		case amble.ProofMeta:
			fmt.Fprintf(out, "\n-method meta: put this into the head of %s\n  %s\n", c.Where, c.Put)
		case amble.ProofFile:
			fmt.Fprintf(out, "\n-method file: put a file at %s with nothing but\n  %s\n", c.Where, c.Put)
		case amble.ProofDNS:
			fmt.Fprintf(out, "\n-method dns: give the name %s a TXT record\n  %s\n", c.Where, c.Put)
		}
	}
	return nil
}

// prover makes the tokens with a secret that is kept beside the proofs.
func (o options) prover(notes amble.Notebook) (*amble.Prover, error) {
	secret, err := secretOf(filepath.Join(o.state, "secret"))
	if err != nil {
		return nil, err
	}
	return &amble.Prover{Secret: secret, Name: strings.ToLower(o.who.Agent.Name), Notes: notes, Resolver: o.resolver}, nil
}

// secretOf reads a secret from a file, and makes one where there is none.
func secretOf(file string) (amble.Secret, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		fresh := make([]byte, 32)
		_, _ = rand.Read(fresh) // it never fails
		text = []byte(hex.EncodeToString(fresh) + "\n")
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		return nil, err
	}
	secret, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(secret) < 32 {
		return nil, fmt.Errorf("sitenorma: %s holds no secret of 32 bytes in hexadecimal: %w", file, amble.ErrConfig)
	}
	return secret, nil
}
