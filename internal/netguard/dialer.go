package netguard

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"syscall"
)

// Dialer opens connections under a Policy. It applies the host part of the URL rule before the lookup and the address
// rule to each address that is about to be connected to. The zero value is ready and safe.
type Dialer struct {
	// Policy says what may be reached.
	Policy Policy

	// Dialer gives timeouts, resolver and so on. Its own control hook runs after the guard has agreed.
	Dialer net.Dialer
}

// DialContext connects to address ("host:port") over TCP. A refusal is an *Error somewhere in the error's chain. When a
// name has several addresses the allowed ones are tried; the refused ones are not touched.
func (d *Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if !isTCP(network) {
		return nil, &Error{Rule: RuleNetwork, Host: address, Detail: "network " + network + " is not TCP"}
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, &Error{Rule: RuleHost, Host: address, Detail: "not a host and port"}
	}
	name, err := d.Policy.checkHostPort(host, port)
	if err != nil {
		return nil, err
	}
	dialer := d.Dialer
	after, afterContext := dialer.Control, dialer.ControlContext
	dialer.Control = nil
	dialer.ControlContext = func(ctx context.Context, network, address string, c syscall.RawConn) error {
		if err := d.Policy.Control(network, address, c); err != nil {
			return withHost(err, host)
		}
		switch {
		case afterContext != nil:
			return afterContext(ctx, network, address, c)
		case after != nil:
			return after(network, address, c)
		}
		return nil
	}
	return dialer.DialContext(ctx, network, net.JoinHostPort(name, port))
}

// Control is the address rule in the form of net.Dialer.Control: it is called after the socket exists and before it is
// connected, for every address tried.
func (p *Policy) Control(network, address string, _ syscall.RawConn) error {
	if !isTCP(network) {
		return &Error{Rule: RuleNetwork, Host: address, Detail: "network " + network + " is not TCP"}
	}
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return &Error{Rule: RuleAddress, Host: address, Detail: "not an IP address and port"}
	}
	return p.CheckAddr(ap)
}

func isTCP(network string) bool { return network == "tcp" || network == "tcp4" || network == "tcp6" }

// withHost adds the name that was asked for to a refusal.
func withHost(err error, host string) error {
	if e, ok := errors.AsType[*Error](err); ok && e.Host == "" {
		e.Host = host
	}
	return err
}
